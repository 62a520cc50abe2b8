import { createHmac } from 'node:crypto'
import type { Pool } from 'pg'
import type { Author } from '../../../domain/author.ts'
import { readId, type SubscriberId, subscriberId } from '../../../domain/ids.ts'
import { stringifyJson } from '../../../platform/formats/json.ts'
import { isSameText } from '../../../platform/same-text.ts'

type Database = Pick<Pool, 'query'>

/** That a subscriber wants no mailings. */
export type OptOut = { readonly at: Date; readonly user: string }

/** Null: they get mailings. */
export async function readOptOut(database: Database, id: SubscriberId): Promise<OptOut | null> {
  const { rows } = await database.query<OptOut>(
    'SELECT created_at AS at, user_name AS "user" FROM mailing_opt_outs WHERE subscriber_id = $1',
    [id],
  )
  return rows[0] ?? null
}

const writes = {
  on: `INSERT INTO mailing_opt_outs (subscriber_id, user_name) SELECT id, $2 FROM abonents WHERE id = $1
    ON CONFLICT DO NOTHING RETURNING subscriber_id`,
  off: 'DELETE FROM mailing_opt_outs WHERE subscriber_id = $1 RETURNING subscriber_id',
} as const

const changeOf = (on: boolean): string => `WITH changed AS (${writes[on ? 'on' : 'off']})
  INSERT INTO audit_operations (user_name, user_id, address, table_name, object_id, action, diff, organization_id)
  SELECT $2, $3, $4, 'ABONENTS', id::text, 'change', $5::jsonb, organization_id
  FROM abonents WHERE id = $1 AND EXISTS (SELECT FROM changed)`

/**
 * Records that a subscriber wants no mailings (`on`), or wants them again, with who said so. It counts from the next
 * batch of any mailing. Nothing changes where it is so already.
 */
export async function setOptOut(database: Database, id: SubscriberId, on: boolean, author: Author): Promise<void> {
  const diff = stringifyJson({ no_mailings: [!on, on] })
  await database.query(changeOf(on), [id, author.name, author.staffId, author.address, diff])
}

const signatureBytes = 16

/**
 * The link in an e-mail of a mailing by which its reader opts out without signing in (RFC 8058). It names the
 * subscriber, is signed, and is good until the key of the program is rotated.
 */
export class OptOutLinks {
  readonly #key: Buffer
  readonly #publicUrl: () => string

  constructor(key: Buffer, publicUrl: () => string) {
    this.#key = key
    this.#publicUrl = publicUrl
  }

  linkOf(id: SubscriberId): string {
    return `${this.#publicUrl()}/lk/unsubscribe/?token=${this.#tokenOf(id)}`
  }

  /** Null: the token is not one of ours. */
  subscriberOf(token: string): SubscriberId | null {
    const id = readId(token.slice(0, token.indexOf('.')))
    return id !== null && isSameText(token, this.#tokenOf(subscriberId(id))) ? subscriberId(id) : null
  }

  #tokenOf(id: SubscriberId): string {
    const signature = createHmac('sha256', this.#key).update(`mailings of ${id}`).digest()
    return `${id}.${signature.subarray(0, signatureBytes).toString('base64url')}`
  }
}
