import type { Author } from '../../accounts/messages.ts'
import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import { parseJson, stringifyJson } from '../../http/json.ts'
import type { Current, Values } from './body.ts'
import type { Model } from './description.ts'
import type { Client } from './reads.ts'

export type Diff = Record<string, readonly [before: unknown, after: unknown]>

/** The values of a record that PostgreSQL wrote as JSON. */
export function recordValues(text: string): Record<string, unknown> {
  const parsed = parseJson(Buffer.from(text))
  if (parsed.kind === 'refused') throw new Error(`PostgreSQL wrote a record that is not JSON: ${parsed.detail}`)
  return parsed.value as Record<string, unknown>
}

/** What differs, by outside name. Of a secret only that it was set. */
export function diffOf(model: Model, before: Current, after: Current, values?: Values): Diff {
  const diff: Diff = {}
  for (const { name, kind, access } of model.fields) {
    if (access === 'writeOnly') {
      if (values?.has(name)) diff[name] = [before ? '***' : null, '***']
      continue
    }
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null]
    if (stringifyJson(was) === stringifyJson(is)) continue
    diff[name] = kind === 'money' ? [rubles(was), rubles(is)] : [was, is]
  }
  return diff
}

const rubles = (units: unknown): string | null =>
  units === null ? null : formatRubles(moneyFromUnits(units as bigint))

export type AuditRow = {
  readonly author: Author
  readonly table: string
  readonly id: string
  readonly action: 'create' | 'change' | 'delete' | 'print' | 'fiscalize'
  readonly diff: Diff
  readonly organizationId: number | null
}

/** AUDIT_OPERATIONS, in the transaction of what it tells about. */
export async function writeAudit(
  client: Client,
  { author, table, id, action, diff, organizationId }: AuditRow,
): Promise<void> {
  await client.query(
    `INSERT INTO audit_operations (at, user_id, user_name, address, table_name, object_id, action, diff, organization_id)
     VALUES (now(), $1, $2, $3, $4, $5, $6, $7::jsonb, $8)`,
    [author.staffId, author.name, author.address, table, id, action, stringifyJson(diff), organizationId],
  )
}
