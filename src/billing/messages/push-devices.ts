import type { Pool } from 'pg'
import type { SubscriberId } from '../../domain/ids.ts'

export type Platform = 'android' | 'ios' | 'web'

/** A whole family may use one login on their phones. Beyond this number the devices seen longest ago are dropped. */
const devicesMax = 20

/** The devices that receive pushes for subscribers: table push_devices. */
export class PushDevices {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Stores a token or marks it as seen. The token of a device that changes hands moves to the subscriber who signs in.
   */
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

  /** Removes a device on which the client has signed out. Returns false for a token that is not this subscriber's. */
  async forget(subscriber: SubscriberId, token: string): Promise<boolean> {
    const text = 'DELETE FROM push_devices WHERE subscriber_id = $1 AND token = $2'
    return (await this.#pool.query(text, [subscriber, token])).rowCount === 1
  }

  /** Removes a device that FCM reports as gone. */
  async forgetGone(token: string): Promise<void> {
    await this.#pool.query('DELETE FROM push_devices WHERE token = $1', [token])
  }
}
