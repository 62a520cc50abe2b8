import type { Test } from 'tap'
import type { Parts } from '../../../src/app/program.ts'
import type { AccountCommand } from '../../../src/billing/accounts/messages.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId, type SubscriberId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { Browser } from '../../support/browser.ts'
import { plantClient } from '../../support/clients.ts'
import type { SharedDatabase } from '../../support/database.ts'
import { type FixtureOptions, openFixture } from '../../support/fixture.ts'

export { Browser }

export type PortalFixture = Parts & {
  readonly base: string
  /** Posts money on a client's account. */
  move(id: SubscriberId, amount: number): Promise<void>
  set(values: Readonly<Record<string, unknown>>): Promise<void>
}

/** Contract 000042 with the logins ivan and tv, on a tariff of 600 rubles. */
export type Planted = { readonly id: SubscriberId; readonly account: number; readonly logins: readonly number[] }

export const password = 'secret-of-ivan'

export async function plantIvan({ database, secrets }: Pick<PortalFixture, 'database' | 'secrets'>): Promise<Planted> {
  const passwords = [['ivan', password] as const, ['tv', 'other-secret'] as const]
  const { subscriber, logins } = await plantClient(database, '000042', passwords, secrets)
  const { pool } = database
  await pool.query(`INSERT INTO tarifs (id, name, price, speed_mbit) VALUES (5, 'Home <100>', 6000000000000, 100)`)
  const { rows } = await pool.query(
    `UPDATE abonents SET name = 'Иванов "Ваня" <Иван>', tarif_id = 5, create_date = '2020-01-01', address = 'ул. Мира & Труда'
      WHERE id = $1 RETURNING account_id`,
    [subscriber],
  )
  return { id: subscriberId(subscriber), account: Number(rows[0].account_id), logins }
}

/** The program with its HTTP doors open. */
export async function openPortal(
  t: Test,
  { env, shared }: Pick<FixtureOptions, 'env' | 'shared'> = {},
): Promise<PortalFixture> {
  const parts = await openFixture(t, { env: { TOLLGATE_PUBLIC_URL: 'https://billing.example', ...env }, shared })
  const { accounts, settings } = parts
  const { pool } = parts.database
  const base = await parts.listen()
  return {
    ...parts,
    base,
    async move(id, amount) {
      const { rows } = await pool.query('SELECT account_id FROM abonents WHERE id = $1', [id])
      const [typeId, sign] = amount < 0 ? ([9, -1] as const) : ([7, 1] as const)
      const command: AccountCommand = {
        kind: 'post',
        typeId,
        sign,
        amount: rubles(Math.abs(amount)),
        subscriberId: id,
        movedAt: null,
        description: amount < 0 ? 'Выезд <мастера> [txn:9]' : 'Оплата',
        details: {},
        keys: [],
      }
      await accounts.ask(accountId(rows[0].account_id), command, systemAuthor('test'))
    },
    async set(values) {
      const outcome = await settings.set(values)
      if ('errors' in outcome) throw new Error(JSON.stringify(outcome.errors))
    },
  }
}

/** A browser in which the client of contract 000042 is signed in. */
export async function signedIn(t: Test, shared: SharedDatabase, language = 'ru') {
  const fixture = await openPortal(t, { shared })
  const planted = await plantIvan(fixture)
  const browser = new Browser(fixture.base, language)
  await browser.signIn('000042', password)
  return { fixture, browser, ...planted }
}
