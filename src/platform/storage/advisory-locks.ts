import pg from 'pg'

/** Locks between programs on one database, by number; every number is given out here. */
export const advisoryLocks = { migrations: 7_000_001, programs: 7_000_002 } as const

/** Runs `deed` while no other program holds this lock; waits for it. The lock goes with its connection, so a crash frees it. */
export async function withAdvisoryLock<T>(
  url: string,
  lock: keyof typeof advisoryLocks,
  deed: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // Losing the connection shows in the next query; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks[lock]])
    return await deed()
  } finally {
    await client.end().catch(() => {})
  }
}
