import type { PoolClient } from 'pg'
import { type RequiredField, readReportTypes, type SormAttribute, type SormReport } from '../../../domain/sorm.ts'
import { type CsvCell, csvLine } from '../../../platform/formats/csv.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { limited } from '../../../platform/storage/sql.ts'

/** A million subscribers with ten values each are counted in some seconds. */
export const reportTimeoutMs = 60_000
const slow = (text: string, values: unknown[]) => limited({ text, values }, reportTimeoutMs)

/** Attributes in the order of their ids, which is that of the columns. */
export async function readAttributes(client: PoolClient): Promise<SormAttribute[]> {
  const { rows } = await client.query<Row>(
    `SELECT id, name, is_sorm, coalesce(btrim(sorm_field_code), '') AS code, coalesce(sorm_report_types, '') AS report_types,
      sorm_required FROM user_attributes ORDER BY id`,
  )
  return rows.map((row) => ({
    id: Number(row.id),
    name: row.name,
    isSorm: row.is_sorm,
    fieldCode: row.code,
    reportTypes: readReportTypes(row.report_types),
    isRequired: row.sorm_required,
  }))
}

type Row = { id: string; name: string; is_sorm: boolean; code: string; report_types: string; sorm_required: boolean }

/** Subscribers that reports are about: enabled and not deleted (contract section 5), and the caller may see them. */
const active = (parameter: `$${number}`): string =>
  `enabled AND NOT deleted AND ${visibleSql('organization_id', parameter)}`

type Counts = { readonly companies: number; readonly people: number }

const counted = 'count(*) FILTER (WHERE company) AS companies, count(*) FILTER (WHERE NOT company) AS people'
const numbers = (row: Record<string, unknown> | undefined): Counts => ({
  companies: Number(row?.companies ?? 0),
  people: Number(row?.people ?? 0),
})

/** How many active subscribers lack each required value, in the order asked. */
export async function countMissing(
  client: PoolClient,
  fields: readonly RequiredField[],
  visible: VisibleOrganizations,
): Promise<number[]> {
  if (fields.length === 0) return []
  const all = await client.query(slow(`SELECT ${counted} FROM abonents WHERE ${active('$1')}`, [visible]))
  const population = numbers(all.rows[0])
  const filled = await countFilled(client, fields, visible)
  return fields.map(({ attribute, audience }) => {
    const have = filled.get(attribute.id) ?? { companies: 0, people: 0 }
    return (
      (audience.companies ? population.companies - have.companies : 0) +
      (audience.people ? population.people - have.people : 0)
    )
  })
}

async function countFilled(
  client: PoolClient,
  fields: readonly RequiredField[],
  visible: VisibleOrganizations,
): Promise<Map<number, Counts>> {
  const filled = new Map<number, Counts>()
  const ids = [...new Set(fields.map(({ attribute }) => attribute.id))]
  const { rows } = await client.query<Record<string, unknown>>(
    slow(
      `SELECT attribute_id, ${counted} FROM user_attribute_values JOIN abonents ON abonents.id = abonent_id
        WHERE attribute_id = ANY($2::int8[]) AND value <> '' AND ${active('$1')} GROUP BY attribute_id`,
      [visible, ids],
    ),
  )
  for (const row of rows) filled.set(Number(row.attribute_id), numbers(row))
  for (const { attribute } of fields) {
    const column = ownColumns[attribute.fieldCode]
    if (!column) continue
    const own = await client.query(
      slow(
        `SELECT ${counted} FROM abonents WHERE ${active('$1')} AND (${column} IS NOT NULL OR EXISTS
          (SELECT FROM user_attribute_values WHERE abonent_id = abonents.id AND attribute_id = $2 AND value <> ''))`,
        [visible, attribute.id],
      ),
    )
    filled.set(attribute.id, numbers(own.rows[0]))
  }
  return filled
}

/** Columns of the subscriber that fill a field of the same code, null when empty. */
const ownColumns: Readonly<Record<string, string>> = {
  passport_series_number: `nullif(btrim(abonents.passport_series_number), '')`,
  birth_date: 'abonents.birth_date::text',
}

const pageRows = 5000

/** A file, and how many subscribers it is about. */
type Lines = { readonly lines: Buffer; readonly count: number }

/** The lines of a report, one for each active subscriber. */
export function reportLines(
  client: PoolClient,
  { columns, companiesOnly }: SormReport,
  visible: VisibleOrganizations,
): Promise<Lines> {
  const cells = columns.map(({ code, attributeId, audience }, at) => {
    // Math.trunc makes sure that nothing but a number gets into the SQL.
    const value = `(SELECT nullif(value, '') FROM user_attribute_values WHERE abonent_id = abonents.id AND attribute_id = ${Math.trunc(attributeId)})`
    const own = ownColumns[code]
    const whom = [audience.companies && 'company', audience.people && 'NOT company'].filter(Boolean).join(' OR ')
    return `CASE WHEN ${whom || 'false'} THEN ${own ? `coalesce(${value}, ${own})` : value} END AS c${at}`
  })
  const names = ['abonent_id', 'contract_number', ...columns.map(({ code }) => code)]
  return lines(client, names, cells, companiesOnly ? 'AND company' : '', visible)
}

/** The export without attributes: the subscriber's own fields. */
export function legacyLines(client: PoolClient, visible: VisibleOrganizations): Promise<Lines> {
  const fields = ['name', 'company', 'passport_series_number', 'birth_date', 'address', 'sms', 'email']
  return lines(
    client,
    ['abonent_id', 'contract_number', ...fields, 'create_date'],
    [...fields, 'create_date::date'],
    '',
    visible,
  )
}

async function lines(
  client: PoolClient,
  names: readonly string[],
  cells: readonly string[],
  only: string,
  visible: VisibleOrganizations,
): Promise<Lines> {
  const text = `SELECT ${['id', 'contract_number', ...cells].join(', ')} FROM abonents
    WHERE id > $2 AND ${active('$1')} ${only} ORDER BY id LIMIT ${pageRows}`
  const pages = [Buffer.from(csvLine(names))]
  for (let last = '0', count = 0; ; ) {
    const { rows } = await client.query<CsvCell[]>({ ...slow(text, [visible, last]), rowMode: 'array' })
    pages.push(Buffer.from(rows.map(csvLine).join('')))
    count += rows.length
    if (rows.length < pageRows) return { lines: Buffer.concat(pages), count }
    last = String(rows.at(-1)![0])
  }
}
