import { followEvents } from '../../src/app/event-followers.ts'
import { Outbox } from '../../src/billing/effects/outbox.ts'
import type { SubscriberId } from '../../src/domain/ids.ts'
import type { DisconnectParts } from '../../src/network/radius/coa/disconnect-parts.ts'
import { Disconnects } from '../../src/network/radius/coa/disconnects.ts'
import { silentLog } from '../../src/platform/log.ts'
import { AccountingFixture } from './accounting.ts'
import type { SharedDatabase } from './database.ts'
import { FakeNas } from './nas.ts'
import { SteadyClock } from './steady-clock.ts'
import { until } from './until.ts'

type Teardown = { teardown(deed: () => unknown): unknown }
type CoaRequestRow = {
  outbox_id: string | null
  nas_id: string
  request: string
  login: string
  session_id: string | null
  subscriber_id: string | null
  attempts: number
  result: string
  error_cause: number | null
}

type OutboxRow = {
  id: string
  kind: string
  subscriber_id: string | null
  attempts: number
  done: boolean
  result: Record<string, number> | null
}

/**
 * Disconnects towards fake NAS over real UDP, with sessions in a real database. NAS 1 listens on 127.0.0.1, NAS 2 on
 * 127.0.0.2 …
 */
export async function startCoaFixture(
  t: Teardown,
  shared: SharedDatabase,
  nasOptions: readonly Parameters<typeof FakeNas.start>[0][] = [{}],
  parts: Partial<DisconnectParts> = {},
) {
  const accounting = await AccountingFixture.start(t, shared)
  const allNas: FakeNas[] = []
  for (const [index, options] of nasOptions.entries()) {
    const nas = await FakeNas.start({ id: index + 1, ip: `127.0.0.${index + 1}`, ...options })
    t.teardown(() => nas.close())
    allNas.push(nas)
  }
  const clock = new SteadyClock()
  const serve = async () => {
    const disconnects = new Disconnects({
      pool: accounting.database,
      events: accounting.events,
      sessions: accounting.sessions,
      accounting: accounting.accounting,
      nas: () => allNas.map(({ entry }) => entry),
      speedAttributes: () => null,
      readSpeed: async () => {},
      replaceBeyond: () => null,
      reachOf: () => null,
      loginOf: () => null,
      organizationOf: () => null,
      order: (effect) => outbox.order(effect),
      host: '0.0.0.0',
      clock,
      log: silentLog,
      ...parts,
    })
    await disconnects.start()
    const outbox = new Outbox({ pool: accounting.pool, clock, log: silentLog })
    followEvents(accounting.events, { outbox, disconnects })
    await outbox.start(disconnects.handlers)
    t.teardown(async () => {
      await disconnects.stop(0)
      await outbox.stop()
    })
    return { disconnects, outbox }
  }
  const first = await serve()
  /** The next life after kill -9: all that was under way is broken off. */
  const restart = async () => {
    await first.disconnects.stop(0)
    await accounting.begin()
    return await serve()
  }
  /** As the ledger's block does. */
  const cut = (logins: readonly string[], subscriberId: SubscriberId | null = null) =>
    first.disconnects.handlers.disconnect({ kind: 'disconnect', logins, subscriberId }, null)
  const answers = async () =>
    (await accounting.database.query<CoaRequestRow>('SELECT * FROM coa_requests ORDER BY nas_id, id')).rows
  const effects = async () =>
    (await accounting.database.query<OutboxRow>('SELECT *, done_at IS NOT NULL AS done FROM outbox ORDER BY id')).rows
  /** An order may be carried out before its row is there, when the database is slow. */
  const ordered = async () => {
    await until(async () => (await effects()).length > 0)
    return await effects()
  }
  return { accounting, allNas, ...first, restart, cut, answers, effects, ordered }
}
