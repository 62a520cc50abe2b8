import type { PoolClient } from 'pg'
import Type from 'typebox'
import { recordRights } from '../../../domain/record-rights.ts'
import { metaIssues, readReportTypes } from '../../../domain/sorm.ts'
import type { Route } from '../../../platform/http/call.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { boolean, integer, type Options, readOnly, required } from '../../../platform/records/fields.ts'
import type { FieldSpec } from '../../../platform/records/model.ts'
import { UserAttribute } from '../../../platform/storage/entities/subscribers.ts'
import type { StoredRecord } from '../../../platform/records/reads.ts'
import type { RecordParts, Step } from '../../../platform/records/record-writer.ts'
import { type Refusal, refusedWrite } from '../../../platform/records/refusals.ts'
import { plainValues } from '../../../platform/records/values.ts'
import type { Dictionary } from './dictionaries/description.ts'
import { dictionaryModel, empty, line, oneOf } from './dictionaries/fields.ts'
import { dictionaryRoutes } from './dictionaries/routes.ts'
import { readAttributes } from './sorm-table.ts'

export const userAttributeRoutes = (parts: RecordParts): Route[] => dictionaryRoutes(parts, userAttributes)

/** Uses are counted up to this number, because a field that everybody has would make the list slow. */
const useCountMax = 100_000

/** A text that is null in the table when it is empty, and never null outside. */
const emptyAsText = (name: string, doc: string, max: number, options: Options = {}): FieldSpec =>
  line(name, doc, max, { ...empty, sql: (table) => `coalesce(${table}.${name}, '')`, ...options })

const mustBeReports = 'be names of reports with commas between, such as ABONENT,ABONENT_LEGAL'

/** A list, or a text with commas between. */
function readReports(sent: unknown): { value: string } | { wrong: string } {
  const text = Array.isArray(sent) ? sent.join(',') : sent
  const names = typeof text === 'string' ? readReportTypes(text) : []
  return typeof text === 'string' && names.every((name) => /^[A-Z][A-Z0-9_]{0,63}$/.test(name))
    ? { value: names.join(',') }
    : { wrong: mustBeReports }
}

/**
 * The dictionary of additional fields of subscribers, with what the regulatory export needs to know about them
 * (specification 2.7, 4.7).
 */
const userAttributes: Dictionary = {
  model: dictionaryModel({
    name: 'user_attributes',
    doc: 'Fields of subscribers',
    entity: UserAttribute,
    fields: [
      line('name', 'Name', 200, required),
      oneOf('type_id', '1 string, 2 integer, 3 date, 4 boolean', [1, 2, 3, 4]),
      boolean('is_sorm', 'Part of the regulatory export'),
      // Any text: a bad code is kept with a warning and reported by the check (contract section 5).
      emptyAsText('sorm_field_code', 'Column of the reports: ^[a-z][a-z0-9_]*$', 64),
      emptyAsText('sorm_report_types', 'Reports with commas between', 1000, {
        read: readReports,
        must: mustBeReports,
        min: 0,
      }),
      boolean('sorm_required', 'Every active subscriber needs a value'),
      emptyAsText('sorm_alt_names', 'Other names', 1000),
      integer('use_count', `Subscribers that have a value, counted up to ${useCountMax}`, {
        ...readOnly,
        sql: (table) =>
          `(SELECT count(*)::int4 FROM (SELECT FROM user_attribute_values WHERE attribute_id = ${table}.id LIMIT ${useCountMax}) AS users)`,
      }),
      boolean('force_sorm_rename', 'Rename an attribute of the regulatory export all the same', {
        access: 'instruction',
      }),
    ],
    rights: recordRights.classification,
    usedBy: [{ table: 'user_attribute_values', column: 'attribute_id', noun: 'subscribers with a value' }],
  }),
  order: 'this.name',
  searched: `concat_ws(' ', this.name, this.sorm_field_code)`,
  steps: { derive: async (step) => renameBlocked(step) ?? retypeBlocked(step) ?? [] },
  remarks: warnings,
  remarkSchemas: { warning: Type.Optional(schemas.text) },
  refusalSchemas: { sorm_rename_blocked: Type.Optional(schemas.boolean) },
}

/** The regulator knows the name, so changing it must be confirmed. */
function renameBlocked({ before, values }: Step): Refusal | null {
  const { name, force_sorm_rename: forced } = plainValues(values)
  if (!before?.is_sorm || name === undefined || name === before.name || forced === true) return null
  const detail = 'The attribute is part of the SORM export; send force_sorm_rename to rename it all the same.'
  return { kind: 'refused', status: 400, detail, code: 'sorm_rename_blocked', more: { sorm_rename_blocked: true } }
}

/** A text field can hold every value, a field of another type only values of that type. */
function retypeBlocked({ before, values }: Step): Refusal | null {
  const { type_id: type } = plainValues(values)
  if (!before || type === undefined || type === before.type_id || type === 1 || before.use_count === 0) return null
  return refusedWrite(`The type cannot change while subscribers have values (${before.use_count}).`, 400, 'used_type')
}

async function warnings(client: PoolClient, { id }: StoredRecord): Promise<{ warning?: string }> {
  const issues = metaIssues(await readAttributes(client)).filter((issue) =>
    issue.kind === 'duplicate_field_code'
      ? issue.attribute_ids.some((other) => other === id)
      : issue.kind !== 'exception' && issue.attribute_id === id,
  )
  return issues.length === 0 ? {} : { warning: issues.map(({ message }) => message).join(' ') }
}
