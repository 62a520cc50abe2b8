import type { Pool } from 'pg'
import { refusalCodes } from '../../domain/access.ts'
import type { CoaResult } from '../../domain/events.ts'
import { normalMac } from '../../domain/mac.ts'
import { AuthLogTable } from '../../network/radius/auth-log/auth-log-table.ts'
import type { AuthRow } from '../../network/radius/auth-log/auth-row.ts'
import { CoaLog } from '../../network/radius/coa/coa-log.ts'
import { errorCauses } from '../../network/radius/wire/attribute-types.ts'
import { systemClock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Dice } from '../dice.ts'
import type { DemoClient, Provider } from '../provider.ts'
import { closedDays } from './past-commands.ts'

const hour = 3_600_000
const day = 24 * hour
const refusedDays = 14
const coaDays = 14

/** Why a client of some lot has been refused; whoever is not named here dials wrongly now and then. */
const reasonOf = {
  debtor: 'blocked_debt',
  blocked: 'blocked_operator',
  onHoliday: 'blocked_client',
  frozen: 'asleep',
  switchedOff: 'login_disabled',
  deleted: 'deleted',
} as const

/** Reasons that have to do with how a router is set up. */
const mistakes = [
  'wrong_password',
  'wrong_password',
  'too_many_sessions',
  'chap_with_hash',
  'ms_chap_with_hash',
] as const
/** Of names that belong to nobody. */
const strange = [
  ['unknown_login', 'admin'],
  ['unknown_login', 'test'],
  ['unknown_login', 'ivanov@home'],
  ['realm_refused', 'demo044@corp.example'],
  ['eap_not_offered', 'anonymous'],
] as const

/** How Access-Requests were refused lately, with every reason there is. */
export async function insertRefusals(pool: Pool, provider: Provider, now: Date, dice: Dice): Promise<void> {
  const rows: AuthRow[] = []
  const { clients } = provider
  const at = (days: number) => now.getTime() - dice.below(Math.round(days * 24 * 60)) * 60_000
  const add = (reason: string, atMs: number, client: DemoClient | null, login: string, count: number) => {
    const mac = client ? normalMac(client.logins[0]!.station) : `02:fe:00:00:00:${String(10 + dice.below(80))}`
    const owner = { subscriberId: client?.subscriber ?? null, organizationId: client ? 1 : null }
    const nasId = dice.pick(provider.nas).id
    rows.push({
      atMs,
      accepted: reason === 'garden',
      reason,
      login,
      ...owner,
      nasId,
      mac,
      port: `${1 + dice.below(48)}`,
      count,
    })
  }
  for (const client of clients) {
    const { lot } = client.person
    const reason = reasonOf[lot as keyof typeof reasonOf] ?? null
    const { login } = client.logins[0]!
    const days = Math.min(refusedDays, closedDays[lot] ?? refusedDays)
    if (reason) for (let times = 0; times < days; times++) add(reason, at(days), client, login, 1 + dice.below(60))
    else if (dice.below(4) === 0) add(dice.pick(mistakes), at(refusedDays), client, login, 1 + dice.below(8))
    if (client.logins[0]!.address === 'narrow') add('no_free_address', at(2), client, login, 1 + dice.below(20))
  }
  for (let times = 0; times < 60; times++) {
    const [reason, login] = dice.pick(strange)
    add(reason, at(refusedDays), null, login, 1 + dice.below(30))
  }
  const known = new Set(rows.map(({ reason }) => reason))
  for (const reason of Object.values(refusalCodes))
    if (!known.has(reason)) add(reason, at(refusedDays), dice.pick(clients), dice.pick(clients).logins[0]!.login, 1)
  rows.sort((a, b) => a.atMs - b.atMs)
  await new AuthLogTable(pool).write(rows)
}

/** What NAS answered to Disconnect and CoA lately. */
export async function insertCoa(pool: Pool, provider: Provider, now: Date, dice: Dice, log: Log): Promise<void> {
  const coaLog = new CoaLog({ pool, clock: systemClock, log })
  const moments = Array.from({ length: 260 }, () => now.getTime() - dice.below((coaDays * day) / 1000) * 1000)
  for (const sentMs of moments.sort((a, b) => a - b)) {
    const client = dice.pick(provider.clients)
    const isWest = sentMs > now.getTime() - 3 * day && dice.below(12) === 0
    const luck = dice.below(20)
    const result: CoaResult = isWest ? 'no_answer' : luck < 17 ? 'ack' : 'nak'
    coaLog.keep(
      {
        outboxId: null,
        nasId: isWest ? provider.silentNas : dice.pick(provider.nas).id,
        request: dice.below(5) === 0 ? 'coa' : 'disconnect',
        login: client.logins[0]!.login,
        subscriberId: client.subscriber,
        sessionId: null,
        sentAt: new Date(sentMs),
        answeredAt: result === 'no_answer' ? null : new Date(sentMs + 2 + dice.below(dice.below(10) === 0 ? 900 : 40)),
        attempts: result === 'no_answer' ? 4 : 1,
        result,
        errorCause: result === 'nak' ? errorCauses.sessionContextNotFound : null,
      },
      () => {},
    )
  }
  await coaLog.flush()
}
