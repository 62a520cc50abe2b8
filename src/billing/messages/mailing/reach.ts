import type { Pool, PoolClient } from 'pg'
import type { Language } from '../../../domain/language.ts'
import type { MailingField } from '../../../domain/mailing-text.ts'
import { reachSql } from '../addresses.ts'
import type { Channel } from '../message.ts'
import { fieldValues, type RecipientFacts, recipientColumns } from './batch.ts'
import { type Audience, audienceSql, type MailingChannel, onlyChannel } from './mailing-table.ts'

/** How a mailing would reach somebody, or why it would not. */
type Fate = Channel | 'opted_out' | 'no_address' | 'no_provider' | 'deleted'

export type Reach = {
  readonly total: number
  readonly fates: Readonly<Partial<Record<Fate, number>>>
  /** Some who would get it, with the values of the fields. */
  readonly samples: readonly Sample[]
}

type Sample = {
  readonly id: number
  readonly name: string
  readonly channel: Channel
  readonly values: Readonly<Record<MailingField, string>>
}

export type ReachAsked = {
  readonly served: ReadonlySet<Channel>
  readonly language: Language
  readonly channel: MailingChannel
  readonly audience: Audience
  /** Makes a query wait for as long as its transaction may take. */
  readonly patient: <Query extends object>(query: Query) => Query
}

const samplesMax = 3

/** Whom a mailing would reach now. Nothing is written. */
export async function readReach(client: Pool | PoolClient, asked: ReachAsked): Promise<Reach> {
  const { audience, served, channel, language, patient } = asked
  const found = `SELECT client.*, CASE WHEN NOT client.deleted AND EXISTS (SELECT FROM mailing_opt_outs WHERE subscriber_id = client.id)
      THEN 'opted_out' ELSE ${reachSql('client', served, onlyChannel(channel))} END AS fate ${audienceSql(audience)}`
  const values = [...audience.values]
  const counted = await client.query<{ fate: Fate; count: number }>(
    patient({ text: `SELECT fate, count(*)::int4 AS count FROM (${found}) AS found GROUP BY fate`, values }),
  )
  const sampled = await client.query<RecipientFacts & { id: string; fate: Channel }>(
    patient({
      text: `SELECT found.id, found.fate, ${recipientColumns('found')} FROM (${found}) AS found
        WHERE fate IN ('push', 'sms', 'email') LIMIT ${samplesMax}`,
      values,
    }),
  )
  const fates = Object.fromEntries(counted.rows.map(({ fate, count }) => [fate, count]))
  return {
    total: counted.rows.reduce((sum, { count }) => sum + count, 0),
    fates,
    samples: sampled.rows.map(({ id, fate, ...facts }) => ({
      id: Number(id),
      name: facts.name,
      channel: fate,
      values: fieldValues(facts, language),
    })),
  }
}
