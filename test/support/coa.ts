import { systemClock } from '../../src/actors/clock.ts'
import { silentLog } from '../../src/log.ts'
import { type DisconnectParts, Disconnects } from '../../src/radius/disconnects.ts'
import { AccountingStand } from './accounting.ts'
import { FakeNas } from './nas.ts'

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

/** Disconnects towards fake NAS over real UDP, with sessions in a real database. NAS 1 listens on 127.0.0.1, NAS 2 on 127.0.0.2 … */
export async function startCoaStand(
  t: Teardown,
  nasOptions: readonly Parameters<typeof FakeNas.start>[0][] = [{}],
  parts: Partial<DisconnectParts> = {},
) {
  const stand = await AccountingStand.start(t)
  const allNas: FakeNas[] = []
  for (const [index, options] of nasOptions.entries()) {
    const nas = await FakeNas.start({ id: index + 1, ip: `127.0.0.${index + 1}`, ...options })
    t.teardown(() => nas.close())
    allNas.push(nas)
  }
  const disconnects = new Disconnects({
    pool: stand.pool,
    events: stand.events,
    sessions: stand.book,
    accounting: stand.accounting,
    nas: () => allNas.map(({ entry }) => entry),
    speedAttributes: () => null,
    host: '0.0.0.0',
    clock: systemClock,
    log: silentLog,
    ...parts,
  })
  await disconnects.start()
  t.teardown(() => disconnects.stop(0))
  const answers = async () =>
    (await stand.database.query<CoaRequestRow>('SELECT * FROM coa_requests ORDER BY nas_id, id')).rows
  return { stand, allNas, disconnects, answers }
}
