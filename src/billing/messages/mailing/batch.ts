import type { Pool, PoolClient } from 'pg'
import type { Language } from '../../../domain/language.ts'
import type { MailingField } from '../../../domain/mailing-text.ts'
import { formatRubles, type Money, magnitude, moneyFromUnits, zero } from '../../../domain/money.ts'
import { printable } from '../../../domain/printable.ts'
import { filled, moneyText } from '../../../domain/wording.ts'
import type { Mailing as MailingEntity } from '../../../platform/storage/entities/clients.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { type Addressee, addressColumns, destinationsFor, type Unreachable, writtenAddress } from '../addresses.ts'
import type { Channel } from '../message.ts'
import { onlyChannel } from './mailing-table.ts'

export const recipientsAtOnce = 500

/** A recipient as the fields of a text see them. */
export type RecipientFacts = {
  readonly name: string
  readonly contract_number: string
  readonly balance: string | null
  readonly tariff: string | null
  readonly home: string | null
}

/** SQL: the facts of a row of abonents. */
export const recipientColumns = (row: string): string => `${row}.name, ${row}.contract_number, ${row}.address AS home,
  (SELECT ostatok::text FROM admin_accounts WHERE id = ${row}.account_id) AS balance,
  (SELECT tarifs.name FROM tarifs WHERE id = ${row}.tarif_id) AS tariff`

const valueMax = 200

/** On one line, and without anything that a screen or a gateway might take for more than text. */
const plain = (value: string | null): string =>
  printable((value ?? '').replace(/\s+/g, ' ').trim())
    .slice(0, valueMax)
    .toWellFormed()

/** The values of the fields of a text for one recipient, in the language of messages. */
export function fieldValues(facts: RecipientFacts, language: Language): Record<MailingField, string> {
  const balance = moneyFromUnits(facts.balance ?? '0')
  const text = (amount: Money) => moneyText(formatRubles(amount), language)
  return {
    name: plain(facts.name),
    contract: plain(facts.contract_number),
    balance: text(balance),
    debt: text(balance < 0n ? magnitude(balance) : zero),
    tariff: plain(facts.tariff),
    address: plain(facts.home),
  }
}

export type BatchParts = {
  readonly pool: Pool
  readonly served: ReadonlySet<Channel>
  readonly language: Language
  readonly lifetimeHours: number
  readonly now: Date
}

type Recipient = Addressee &
  RecipientFacts & { readonly id: string; readonly is_gone: boolean; readonly opted_out: boolean }

type Written = {
  readonly subscriber: string
  readonly skipped?: Unreachable | 'opted_out'
  readonly title?: string
  readonly text?: string
  readonly channel?: Channel
  readonly device_id?: number | null
  readonly address?: string
}

/**
 * Writes the messages of the next recipients of a mailing, in one transaction with what became of each and with how far
 * the mailing is: whoever has a message is never reached again. Returns how many recipients were done; 0 also where
 * another program writes, or the mailing has been stopped.
 */
export async function writeBatch(parts: BatchParts, id: number): Promise<number> {
  const client = await parts.pool.connect()
  let isBroken = true
  try {
    await client.query('BEGIN')
    const count = await writeNext(client, parts, id)
    await client.query('COMMIT')
    isBroken = false
    return count
  } finally {
    // A connection in the middle of a transaction is closed, which rolls it back.
    client.release(isBroken)
  }
}

async function writeNext(client: PoolClient, parts: BatchParts, id: number): Promise<number> {
  const { rows: mailings } = await client.query<
    RowOf<typeof MailingEntity, 'channel' | 'title' | 'text' | 'reached_id'>
  >(
    `SELECT channel, title, text, reached_id FROM mailings WHERE id = $1 AND state = 'sending' FOR UPDATE SKIP LOCKED`,
    [id],
  )
  const mailing = mailings[0]
  if (!mailing) return 0
  const { rows } = await client.query<Recipient>(
    `SELECT recipient.subscriber_id AS id, abonent.id IS NULL AS is_gone, ${recipientColumns('abonent')}, ${addressColumns('abonent.id')},
        EXISTS (SELECT FROM mailing_opt_outs AS out WHERE out.subscriber_id = abonent.id) AS opted_out
      FROM (SELECT subscriber_id FROM mailing_recipients WHERE mailing_id = $1 AND subscriber_id > $2
        ORDER BY subscriber_id LIMIT ${recipientsAtOnce}) AS recipient
      LEFT JOIN abonents AS abonent ON abonent.id = recipient.subscriber_id
      ORDER BY recipient.subscriber_id`,
    [id, mailing.reached_id],
  )
  const last = rows.at(-1)
  if (!last) return 0
  const written = rows.map((recipient) => messageOf(recipient, mailing, parts))
  const count = (skipped: Written['skipped']) => written.filter((one) => one.skipped === skipped).length
  await client.query(insertText, [JSON.stringify(written), id, parts.now, parts.lifetimeHours])
  await client.query(
    `UPDATE mailings SET reached_id = $2, done = done + $3, messages = messages + $4, opted_out = opted_out + $5,
      no_address = no_address + $6, no_provider = no_provider + $7, deleted = deleted + $8 WHERE id = $1`,
    [
      ...[id, last.id, rows.length, count(undefined), count('opted_out')],
      ...[count('no_address'), count('no_provider'), count('deleted')],
    ],
  )
  return rows.length
}

type Wording = RowOf<typeof MailingEntity, 'channel' | 'title' | 'text'>

function messageOf(recipient: Recipient, { channel, title, text }: Wording, parts: BatchParts): Written {
  const { id: subscriber, is_gone, opted_out, ...facts } = recipient
  if (is_gone) return { subscriber, skipped: 'deleted' }
  const found = destinationsFor(facts, parts.served, onlyChannel(channel))
  if ('code' in found && found.code === 'deleted') return { subscriber, skipped: 'deleted' }
  if (opted_out) return { subscriber, skipped: 'opted_out' }
  if ('code' in found) return { subscriber, skipped: found.code }
  const values = fieldValues(facts, parts.language)
  return { subscriber, title: filled(title, values), text: filled(text, values), ...writtenAddress(found.destinations) }
}

/** The key is a second guard: a subscriber has one message of a mailing, whatever happens. */
const insertText = `WITH given AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS given(subscriber int8, skipped text,
      title text, text text, channel text, device_id int8, address text)),
    written AS (
      INSERT INTO notifications (account_id, subscriber_id, kind, key, mailing_id, title, text, channel, device_id, address,
        created_at, next_try_at, expires_at)
      SELECT abonent.account_id, abonent.id, 'mailing', 'mailing:' || $2::int8 || ':' || abonent.id, $2, given.title, given.text,
        given.channel, given.device_id, given.address, $3, $3, $3::timestamptz + $4 * interval '1 hour'
      FROM given JOIN abonents AS abonent ON abonent.id = given.subscriber WHERE given.skipped IS NULL ORDER BY abonent.id
      ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING RETURNING id, subscriber_id)
  UPDATE mailing_recipients AS recipient SET skipped = given.skipped, message_id = written.id
    FROM given LEFT JOIN written ON written.subscriber_id = given.subscriber
    WHERE recipient.mailing_id = $2 AND recipient.subscriber_id = given.subscriber`
