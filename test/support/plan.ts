import type { ClientBase } from 'pg'

/**
 * How PostgreSQL would execute a statement, a line for each step. Small tables are read as a whole, unless the
 * connection has `enable_seqscan` off.
 */
export async function planOf(client: ClientBase, text: string, values: readonly unknown[] = []): Promise<string> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
