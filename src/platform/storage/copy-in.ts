import { finished } from 'node:stream/promises'
import type { Pool } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

type CopiedValue = string | number | boolean | Date | null

/**
 * Writes rows by one COPY, which is one transaction. Rejects when the server has not taken them in time; the connection
 * is closed then, and nothing was written unless the answer alone was late.
 */
export async function copyIn(
  pool: Pool,
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
  rows: Iterable<readonly CopiedValue[]>,
  timeoutMs: number,
): Promise<void> {
  const client = await pool.connect()
  const late = setTimeout(() => client.connection.stream.destroy(new Error('The server did not answer.')), timeoutMs)
  try {
    const copy = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`))
    const done = finished(copy)
    copy.end(Array.from(rows, copyLine).join(''))
    await done
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  } finally {
    clearTimeout(late)
  }
}

/** A line of COPY's text format. */
const copyLine = (values: readonly CopiedValue[]): string => `${values.map(copyText).join('\t')}\n`

function copyText(value: CopiedValue): string | number {
  if (value === null) return '\\N'
  if (typeof value === 'string') return needsEscape.test(value) ? value.replace(special, escapeOf) : value
  if (typeof value === 'boolean') return value ? 't' : 'f'
  return value instanceof Date ? value.toISOString() : value
}

const needsEscape = /[\\\n\r\t]/
const special = /[\\\n\r\t]/g
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const escapeOf = (sign: string): string => escapes[sign]!
