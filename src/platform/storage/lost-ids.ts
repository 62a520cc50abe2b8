import type { Log } from '../log.ts'
import type { Database } from './database.ts'
import { reservedSequences } from './reserved-ids.ts'

/** More than all programs together reserve in the seconds that a standby may be behind. */
const skippedIds = 10_000
const retryMs = 1_000

/**
 * A server that has lost commits has forgotten which ids it had given out, and would give them out again: a row would
 * have the id that another program holds in reserve, and an order the one that a gateway knows of somebody else. So
 * every program that notices lets the sequences skip what may have been given out, and what is in reserve stays good.
 * The returned function ends it.
 */
export function skipLostIds({ pool, onReplaced }: Pick<Database, 'pool' | 'onReplaced'>, log: Log): () => void {
  const text = 'SELECT count(nextval(name::regclass)) FROM unnest($1::text[]) AS name, generate_series(1, $2)'
  let retry: NodeJS.Timeout | undefined
  const skip = async (): Promise<void> => {
    clearTimeout(retry)
    try {
      await pool.query(text, [reservedSequences, skippedIds])
    } catch (error) {
      log.warn('Ids that were given out by the server before cannot be skipped now.', { error })
      retry = setTimeout(skip, retryMs).unref()
    }
  }
  const stop = onReplaced(skip)
  return () => {
    stop()
    clearTimeout(retry)
  }
}
