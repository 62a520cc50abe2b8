import type { Log } from '../log.ts'
import type { Database } from './database.ts'

const retryMs = 1_000

/**
 * A server that has lost commits has forgotten which ids it had given out, and would give them out again: a row would
 * have the id that another program holds in reserve, and an order the one that a gateway knows of somebody else. So its
 * sequences skip what may have been given out, and what is in reserve stays good: more than all programs together
 * reserve in the seconds that a standby may be behind. A promoted server does so by itself when it is asked for ids
 * (`takenIdsSql`), and here for a program that has just started; any other one, when a program notices that it has lost
 * something. The returned function ends it.
 */
export function skipLostIds({ pool, onReplaced }: Pick<Database, 'pool' | 'onReplaced'>, log: Log): () => void {
  const text = 'SELECT tollgate_skip_lost_ids(name, $1) FROM reserved_sequences'
  let retry: NodeJS.Timeout | undefined
  const skip = async (isLost: boolean): Promise<void> => {
    clearTimeout(retry)
    try {
      await pool.query(text, [isLost])
    } catch (error) {
      log.warn('Ids that were given out by the server before cannot be skipped now.', { error })
      retry = setTimeout(skip, retryMs, isLost).unref()
    }
  }
  void skip(false)
  const stop = onReplaced(() => void skip(true))
  return () => {
    stop()
    clearTimeout(retry)
  }
}
