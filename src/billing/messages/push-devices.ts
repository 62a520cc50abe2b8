import type { Pool } from 'pg'
import type { SubscriberId } from '../../domain/ids.ts'

const platforms = ['android', 'ios', 'web'] as const
export type Platform = (typeof platforms)[number]

/** One account of a client can be on the telephones of a whole family; the oldest give way. */
const devicesMax = 20

/** The devices that take pushes for subscribers. */
export class PushDevices {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Takes a token, or sees it again. A device that is handed on goes with its token to who signs in there. */
  async register(subscriber: SubscriberId, token: string, platform: Platform): Promise<void> {
    await this.#pool.query(
      `WITH taken AS (
          INSERT INTO push_devices (subscriber_id, token, platform) VALUES ($1, $2, $3)
          ON CONFLICT (token) DO UPDATE SET subscriber_id = $1, platform = $3, seen_at = now()
          RETURNING id)
        DELETE FROM push_devices WHERE id IN (
          SELECT id FROM push_devices WHERE subscriber_id = $1 AND id NOT IN (SELECT id FROM taken)
          ORDER BY seen_at DESC, id DESC OFFSET ${devicesMax - 1})`,
      [subscriber, token, platform],
    )
  }

  /** The client has signed out there. A token of somebody else is left alone. */
  async forget(subscriber: SubscriberId, token: string): Promise<boolean> {
    const text = 'DELETE FROM push_devices WHERE subscriber_id = $1 AND token = $2'
    return (await this.#pool.query(text, [subscriber, token])).rowCount === 1
  }

  /** FCM says that nobody is there any more. */
  async forgetGone(token: string): Promise<void> {
    await this.#pool.query('DELETE FROM push_devices WHERE token = $1', [token])
  }
}
