import t from 'tap'
import { SharedValue } from '../../../src/network/access/shared.ts'
import { AccountingPort } from '../../../src/network/radius/accounting-port.ts'
import { countersBytes, readCounts } from '../../../src/network/radius/worker/counters.ts'
import type { AccountingBatch, WorkerRules } from '../../../src/network/radius/worker/messages.ts'
import { NasNotices } from '../../../src/network/radius/worker/nas-notices.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { freeUdpPort } from '../../support/free-port.ts'
import { Client, nasEntry, udpPreference, usualSettings } from './fixture.ts'

type Handed = { batch: AccountingBatch; store: () => void }

/** The port of accounting without any worker; what it hands over waits until the test stores it. */
async function openPort(t: { teardown(action: () => unknown): unknown }) {
  const rules = new SharedValue<WorkerRules>({
    nas: [{ ...nasEntry(), nasSlot: 1, edition: 1 }],
    settings: usualSettings,
  })
  const counters = new SharedArrayBuffer(countersBytes)
  const handed: Handed[] = []
  let onHanded = () => {}
  const number = await freeUdpPort()
  const port = new AccountingPort({
    host: '127.0.0.1',
    port: number,
    udp: udpPreference,
    rules: rules.handle(),
    counters,
    notices: new NasNotices(() => {}),
    accounting: (batch) =>
      new Promise((resolve) => {
        handed.push({ batch, store: () => resolve(Int32Array.from(batch.tokens.keys())) })
        onHanded()
      }),
    log: silentLog,
  })
  await port.start()
  t.teardown(() => port.stop(0))
  t.teardown(() => rules.close())
  const client = await Client.open({ addresses: { host: '127.0.0.1', authPort: 0, acctPort: number } }, '127.0.0.1')
  t.teardown(() => client.close())
  const nextHanded = async (count: number): Promise<Handed> => {
    while (handed.length < count) await new Promise<void>((resolve) => (onHanded = resolve))
    return handed[count - 1]!
  }
  const answered = () => readCounts([counters], 2).find(({ result }) => result === 'accounting')?.count ?? 0
  return { port, client, nextHanded, answered }
}

const interim = (client: Client) =>
  client.accounting([
    ['User-Name', 'ivan'],
    ['Acct-Session-Id', 's'],
    ['Acct-Status-Type', 'Interim-Update'],
  ])

t.test('the thread that stores accounting receives and answers it, and needs no worker', async (t) => {
  const { client, nextHanded, answered } = await openPort(t)
  const requests = [interim(client), interim(client)]
  client.send(requests[0]!, 'acct')
  const first = await nextHanded(1)
  client.send(requests[1]!, 'acct')
  const second = await nextHanded(2)
  t.equal(answered(), 0)
  first.store()
  second.store()
  t.strictSame([(await client.next())[1], (await client.next())[1]], [requests[0]![1], requests[1]![1]])
  t.equal(answered(), 2)
})

t.test('a stop receives nothing more and waits for what is in work, but only as long as it may', async (t) => {
  const { port, client, nextHanded } = await openPort(t)
  const request = interim(client)
  client.send(request, 'acct')
  const { store } = await nextHanded(1)
  const stopped = port.stop(60_000)
  store()
  await stopped
  t.equal((await client.next())[1], request[1], 'the answer left before the port was closed')

  const other = await openPort(t)
  other.client.send(interim(other.client), 'acct')
  await other.nextHanded(1)
  await other.port.stop(1)
  t.pass('what is never stored does not hold up the stop')
})
