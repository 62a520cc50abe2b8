import type { PoolClient } from 'pg'
import { metaIssues, readReportTypes } from '../../../domain/sorm.ts'
import type { Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import * as setting from '../../../platform/settings/kinds.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import { type Dictionary, type Refused, refused, type Shown, type Step } from './dictionaries/description.ts'
import { dictionaryRoutes } from './dictionaries/doors.ts'
import { type FieldKind, flag, oneOf, words } from './dictionaries/kinds.ts'
import { readAttributes } from './sorm-table.ts'

export const userAttributeRoutes = (scope: TransactionScope): Route[] => dictionaryRoutes(scope, userAttributes)

/** Counting goes no further: a field that everybody has would make a list slow. */
const useCountMax = 100_000

const codeMax = 64

/** Any text: a bad code is kept with a warning and reported by the check (contract section 5). */
const fieldCode: FieldKind = words(codeMax)

const reportTypes: FieldKind = {
  must: 'be names of reports with commas between, such as ABONENT,ABONENT_LEGAL',
  read: (input) => {
    const text = setting.text.read(Array.isArray(input) ? input.join(',') : input)
    const names = text === null ? [] : readReportTypes(text)
    return text !== null && names.every((name) => /^[A-Z][A-Z0-9_]{0,63}$/.test(name)) ? names.join(',') : null
  },
  schema: schemas.text,
  cast: 'text',
}

/** A dictionary of fields of subscribers and what the regulatory export needs to know of them (specification 2.7, 4.7). */
const userAttributes: Dictionary = {
  name: 'user_attributes',
  doc: 'Fields of subscribers',
  table: 'user_attributes',
  key: 'id',
  auditName: 'USER_ATTRIBUTES',
  rights: { read: 'view', write: 'settings' },
  fields: [
    { name: 'name', kind: words(200), isRequired: true, doc: 'Name' },
    { name: 'type_id', kind: oneOf(1, 2, 3, 4), doc: '1 string, 2 integer, 3 date, 4 boolean' },
    { name: 'is_sorm', kind: flag, doc: 'Part of the regulatory export' },
    { ...emptyAsText('sorm_field_code'), kind: fieldCode, doc: 'Column of the reports: ^[a-z][a-z0-9_]*$' },
    { ...emptyAsText('sorm_report_types'), kind: reportTypes, doc: 'Reports with commas between' },
    { name: 'sorm_required', kind: flag, doc: 'Every active subscriber needs a value' },
    { ...emptyAsText('sorm_alt_names'), kind: words(1000), doc: 'Other names' },
    {
      name: 'use_count',
      shown: `(SELECT count(*)::int4 FROM (SELECT FROM user_attribute_values WHERE attribute_id = row.id LIMIT ${useCountMax}) AS users)`,
      schema: schemas.integer,
      doc: `Subscribers that have a value, counted up to ${useCountMax}`,
    },
    {
      name: 'force_sorm_rename',
      shown: null,
      column: null,
      kind: flag,
      doc: 'Rename an attribute of the regulatory export all the same',
    },
  ],
  order: 'row.name',
  searched: `concat_ws(' ', row.name, row.sorm_field_code)`,
  uses: [{ of: 'subscribers with a value', rows: 'SELECT FROM user_attribute_values WHERE attribute_id = $1' }],
  derive: async (step) => renameBlocked(step) ?? retypeBlocked(step) ?? {},
  remarks: warnings,
}

/** A text that is never null outside. */
function emptyAsText(name: string) {
  return { name, shown: `coalesce(row.${name}, '')`, isNullable: true } as const
}

/** The name stands in what was handed to the regulator; it changes only on purpose. */
function renameBlocked({ before, values }: Step): Refused | null {
  const { name, force_sorm_rename: forced } = values
  if (!before?.is_sorm || name === undefined || name === before.name || forced === true) return null
  const error = 'The attribute is part of the SORM export; send force_sorm_rename to rename it all the same.'
  return { refused: json({ ok: false, error, sorm_rename_blocked: true }, 400) }
}

/** Text can hold every value; the others only their own. */
function retypeBlocked({ before, values }: Step): Refused | null {
  const { type_id: type } = values
  if (!before || type === undefined || type === before.type_id || type === 1 || before.use_count === 0) return null
  return refused(`The type cannot change while subscribers have values (${before.use_count}).`)
}

async function warnings(client: PoolClient, { id }: Shown): Promise<{ warning?: string }> {
  const issues = metaIssues(await readAttributes(client)).filter((issue) =>
    issue.kind === 'duplicate_field_code'
      ? issue.attribute_ids.some((other) => other === id)
      : issue.kind !== 'exception' && issue.attribute_id === id,
  )
  return issues.length === 0 ? {} : { warning: issues.map(({ message }) => message).join(' ') }
}
