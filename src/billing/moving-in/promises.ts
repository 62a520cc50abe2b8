import type { Client } from 'pg'
import { accountId, type AccountId, subscriberId, type SubscriberId } from '../../domain/ids.ts'
import { movedPromiseKey } from '../../domain/money-keys.ts'
import type { Findings } from './findings.ts'
import type { OpenPromise } from './subscriber-rows.ts'

/**
 * Lets the ledger give a promise payment under a key. Null: it has, or had before; otherwise a sentence about why it
 * did not.
 */
export type GivePromise = (
  account: AccountId,
  subscriber: SubscriberId,
  terms: Pick<OpenPromise, 'amount' | 'until'>,
  key: string,
) => Promise<string | null>

type Order = { readonly client: Client; readonly apply: boolean; readonly givePromise: GivePromise }
type Owner = {
  readonly is_left: boolean
  readonly id: string | null
  readonly account_id: string
  readonly is_known: boolean
}

/** Gives the open promise payments of subscribers who have come, each once. */
export async function movePromises(order: Order, promises: readonly OpenPromise[], findings: Findings): Promise<void> {
  const { client, apply, givePromise } = order
  const counts = findings.promises
  for (const { place, contractNumber, amount, until } of promises) {
    counts.there++
    const key = movedPromiseKey.of(contractNumber)
    const owner = await ownerOf(client, contractNumber, key)
    if (!owner || owner.is_left) counts.left++
    else if (owner.is_known) counts.same++
    else if (!apply || owner.id === null) counts.made++
    else {
      const why = await givePromise(accountId(owner.account_id), subscriberId(owner.id), { amount, until }, key)
      if (why === null) counts.made++
      else {
        counts.left++
        findings.note('left', place, `the open promise payment is not given: ${why}`)
      }
    }
  }
}

async function ownerOf(client: Client, contractNumber: string, key: string): Promise<Owner | undefined> {
  const { rows } = await client.query<Owner>(
    `SELECT line.fault IS NOT NULL AS is_left, owner.id, owner.account_id, key.key IS NOT NULL AS is_known
      FROM import_lines AS line LEFT JOIN abonents AS owner ON owner.contract_number = line.contract_number AND NOT owner.deleted
      LEFT JOIN money_keys AS key ON key.key = $2
      WHERE line.contract_number = $1 AND line.of_line IS NULL ORDER BY line.fault IS NOT NULL, line.line LIMIT 1`,
    [contractNumber, key],
  )
  return rows[0]
}
