import type { Author } from '../../domain/author.ts'
import { stringifyJson } from '../formats/json.ts'

/** What differs, by outside name. */
export type Diff = Record<string, readonly [before: unknown, after: unknown]>

export type AuditRow = {
  readonly author: Author
  readonly table: string
  readonly id: string
  readonly action:
    | 'create'
    | 'change'
    | 'delete'
    | 'print'
    | 'export'
    | 'fiscalize'
    | 'disconnect'
    | 'coa'
    | 'as_client'
    | 'sign_in'
    | 'sign_in_failed'
    | 'sign_out'
  readonly diff: Diff
  readonly organizationId: number | null
  /** Left out: the time of the transaction. */
  readonly at?: Date
}

/** Writes AUDIT_OPERATIONS in the transaction of the change that it records. */
export async function writeAudit(
  client: { query(text: string, values: unknown[]): Promise<unknown> },
  { author, table, id, action, diff, organizationId, at }: AuditRow,
): Promise<void> {
  await client.query(
    `INSERT INTO audit_operations (at, user_id, user_name, address, table_name, object_id, action, diff, organization_id)
     VALUES (coalesce($9::timestamptz, now()), $1, $2, $3, $4, $5, $6, $7::jsonb, $8)`,
    [author.staffId, author.name, author.address, table, id, action, stringifyJson(diff), organizationId, at ?? null],
  )
}
