import type { ClientBase } from 'pg'

/** Runs the work in a transaction of this connection. */
export async function inTransaction<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const done = await work()
    await client.query('COMMIT')
    return done
  } catch (error) {
    // An error of the rollback would hide the one that caused it.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
