import pg from 'pg'

/**
 * Runs `work` on a connection of its own, or rejects when there is none within ten seconds. int8 arrives as text.
 */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // Losing the connection shows in the next query; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The address with settings that every connection to it has from its beginning, such as `jit=off`. */
export function withSettings(url: string, settings: readonly string[]): string {
  const address = new URL(url)
  const options = [address.searchParams.get('options'), ...settings.map((setting) => `-c ${setting}`)].filter(Boolean)
  address.searchParams.set('options', options.join(' '))
  return address.href
}
