import type { Test } from 'tap'
import { followEvents } from '../../../src/app/event-followers.ts'
import { AccountStore } from '../../../src/billing/accounts/account-store.ts'
import { AccountActors } from '../../../src/billing/accounts/accounts.ts'
import type { AccountCommand } from '../../../src/billing/accounts/messages.ts'
import { SubscriberActors } from '../../../src/billing/accounts/subscribers.ts'
import { PhoneSessions } from '../../../src/billing/clients/phone-sessions.ts'
import { PortalSessions } from '../../../src/billing/clients/portal-sessions.ts'
import { Payments } from '../../../src/billing/payments/payments.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { Events } from '../../../src/domain/events.ts'
import { accountId, type SubscriberId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { problemPage } from '../../../src/interfaces/portal/problem.ts'
import { portalRoutes } from '../../../src/interfaces/portal/routes.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { loadSettings, type Settings } from '../../../src/platform/settings/settings.ts'
import { SignInThrottle } from '../../../src/platform/staff/throttle.ts'
import { asUnavailable, type Database } from '../../../src/platform/storage/database.ts'
import { startServer } from '../../platform/http/parts.ts'
import { clientSecrets, plantClient } from '../../support/clients.ts'
import { testDatabase } from '../../support/database.ts'

export { Browser, type Shown } from '../../support/browser.ts'

export type PortalStand = {
  readonly base: string
  readonly database: Database
  readonly settings: Settings
  readonly accounts: AccountActors
  readonly phones: PhoneSessions
  readonly throttle: SignInThrottle
  readonly changed: unknown[]
  /** Posts money on a client's account. */
  move(id: SubscriberId, amount: number): Promise<void>
  set(values: Readonly<Record<string, unknown>>): Promise<void>
}

/** Contract 000042 with the logins ivan and tv, on a tariff of 600 rubles. */
export type Planted = { readonly id: SubscriberId; readonly account: number; readonly logins: readonly number[] }

export const password = 'secret-of-ivan'

export async function plantIvan({ database }: PortalStand): Promise<Planted> {
  const { subscriber, logins } = await plantClient(database, '000042', [
    ['ivan', password],
    ['tv', 'other-secret'],
  ])
  const { pool } = database
  await pool.query(`INSERT INTO tarifs (id, name, price, speed_mbit) VALUES (5, 'Home <100>', 6000000000000, 100)`)
  const { rows } = await pool.query(
    `UPDATE abonents SET name = 'Иванов "Ваня" <Иван>', tarif_id = 5, create_date = '2020-01-01', address = 'ул. Мира & Труда'
      WHERE id = $1 RETURNING account_id`,
    [subscriber],
  )
  return { id: subscriberId(subscriber), account: Number(rows[0].account_id), logins }
}

/** The client's pages over the real HTTP server, a real database and real accounts. */
export async function openPortal(t: Test): Promise<PortalStand> {
  const { database } = await testDatabase(t)
  const { pool } = database
  const settings = await loadSettings({ database, secrets: clientSecrets, log: silentLog })
  const events = new Events((error) => {
    throw error
  })
  const store = new AccountStore(database.ledger)
  const accounts = new AccountActors({ store, events, clock: systemClock, asUnavailable })
  const subscribers = new SubscriberActors({ store, accounts, clock: systemClock, sessionsOf: () => [] })
  followEvents(events, { subscribers })
  const portal = new PortalSessions(pool, systemClock)
  const phones = new PhoneSessions({ pool, key: clientSecrets.derive('jwt'), clock: systemClock })
  const throttle = new SignInThrottle()
  const changed: unknown[] = []
  const publicUrl = () => 'https://billing.example'
  const payments = new Payments({
    pool,
    accounts,
    settings,
    publicUrl,
    clock: systemClock,
    log: silentLog,
  })
  const isReadOnly = () => settings.get('READ_ONLY_MODE')
  const routes = portalRoutes({
    pool,
    subscribers,
    settings,
    clock: systemClock,
    portal,
    phones,
    secrets: clientSecrets,
    throttle,
    log: silentLog,
    payments,
    publicOrigin: null,
    isReadOnly,
    changed: async (rows) => {
      changed.push(rows)
    },
  })
  const clients = { ofCookie: (key: string) => portal.find(key), ofToken: (token: string) => phones.find(token) }
  const { server, base } = await startServer(routes, { isReadOnly, clients, clientPage: problemPage })
  t.teardown(async () => {
    await server.stop()
    await subscribers.stop()
    await accounts.stop()
    settings.stop()
  })
  return {
    base,
    database,
    settings,
    accounts,
    phones,
    throttle,
    changed,
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
