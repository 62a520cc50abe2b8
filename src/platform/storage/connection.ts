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

/**
 * By this `application_name` a server tells connections of the node of this number from others. The one that lasts has
 * none, because the number is found by it.
 */
export const nodeConnections = (number: number): string => `tollgate node ${number}`

/** The address for a node: what its connections write is its own (`thisNodeSql`). */
export function asNode(url: string, number: number): string {
  const address = new URL(withSettings(url, [`tollgate.node=${number}`]))
  address.searchParams.set('application_name', nodeConnections(number))
  return address.href
}

/** The address with settings that every connection to it has from its beginning, such as `jit=off`. */
export function withSettings(url: string, settings: readonly string[]): string {
  const address = new URL(url)
  const options = [address.searchParams.get('options'), ...settings.map((setting) => `-c ${setting}`)].filter(Boolean)
  address.searchParams.set('options', options.join(' '))
  return address.href
}
