import type { Pool } from 'pg'
import { subscriberByContract } from '../../billing/clients/contract-numbers.ts'
import { type AccountId, accountId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { type Money, moneyFromUnits } from '../../domain/money.ts'
import { isVisible, type VisibleOrganizations } from '../../platform/staff/visible-organizations.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { AdminAccount } from '../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../platform/storage/entity.ts'

/** The subscriber that a payment is for. */
export type Payer = {
  readonly subscriberId: SubscriberId
  readonly accountId: AccountId
  /** The contract number as stored, with leading zeros. */
  readonly contract: string
  readonly name: string
  readonly balance: Money
}

type Row = RowOf<typeof Abonent, 'id' | 'account_id' | 'organization_id' | 'contract_number' | 'name'> &
  RowOf<typeof AdminAccount, 'ostatok'>

/** Prepared, because an import asks for thousands of lines, and to plan each costs more than to run it. */
const payerStatement = `WITH ${subscriberByContract}
  SELECT abonents.id, account_id, organization_id, contract_number, name, ostatok FROM abonents
    JOIN admin_accounts ON admin_accounts.id = account_id WHERE abonents.id = (SELECT id FROM meant)`

/**
 * Returns null when no subscriber has this contract number or the staff user may not see them (specification section 1
 * rule 5).
 */
export async function findPayer(
  pool: Pick<Pool, 'query'>,
  contract: string,
  visible: VisibleOrganizations,
): Promise<Payer | null> {
  const { rows } = await pool.query<Row>({ name: 'soap-payer', text: payerStatement, values: [contract] })
  const [row] = rows
  if (!row) return null
  if (!isVisible(visible, row.organization_id === null ? null : Number(row.organization_id))) return null
  return {
    subscriberId: subscriberId(row.id),
    accountId: accountId(row.account_id),
    contract: row.contract_number,
    name: row.name ?? '',
    balance: moneyFromUnits(row.ostatok),
  }
}

/**
 * Enough for a cashier to see that it is the right one: `Сидоров Иван Петрович` is `Сидоров И***` (contract section 5).
 * A name of one word keeps its first letter only.
 */
export function maskedName(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '')
  const [first = '', second] = words
  return second === undefined ? `${firstLetter(first)}***` : `${first} ${firstLetter(second)}***`
}

/** The quotation mark before the name of a company says nothing. */
const firstLetter = (word: string): string => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? [...word][0] ?? ''

/** Text as a field of an answer, without `;` and line breaks, which separate fields and lines. */
export const fieldOf = (text: string): string => text.replace(/[;\s]+/g, ' ').trim()
