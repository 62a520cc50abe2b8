import type { Client } from './sql.ts'

/** The moment that a checked text means in the session's time zone. */
export async function momentOf(client: Client, text: string): Promise<Date> {
  const { rows } = await client.query<{ moment: Date }>('SELECT $1::timestamptz AS moment', [text])
  return rows[0]!.moment
}
