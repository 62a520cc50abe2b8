import t from 'tap'
import { nasId } from '../../src/domain/ids.ts'
import { NasHealth } from '../../src/network/radius/health/nas-health.ts'
import { nasHealthStore } from '../../src/network/radius/health/nas-health-store.ts'
import { silentLog } from '../../src/platform/log.ts'
import { Client, nasEntry, secret } from '../network/radius/fixture.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { until } from '../support/until.ts'
import { type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const made = async (model: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(`/rest_api/v2/${model}/`, body)
  if (status !== 201) throw new Error(JSON.stringify(record))
  return record
}
const nas = (name: string, ip: string, more: object = {}) =>
  made('Nas', { name, ip, secret, nas_type: 'generic', ...more })
const good = await nas('good', '127.0.0.2')
const bad = await nas('bad', '127.0.0.3')
const fresh = await nas('fresh', '127.0.0.4')
const lost = await nas('lost', '127.0.0.5')
const off = await nas('off', '127.0.0.6', { enabled: false })
await office.rows(`UPDATE nas SET last_packet_at = now() - interval '2 days' WHERE id = $1`, [lost.id])
await office.rows(
  `INSERT INTO coa_requests (nas_id, request, login, sent_at, answered_at, result)
    SELECT $1, 'disconnect', 'x', now() - interval '1 hour', now() - interval '1 hour' + n * interval '1 ms', 'nak' FROM generate_series(1, 100) n`,
  [good.id],
)
const tarif = await made('Tarif', { name: 'usual', price: 0 })
const ivan = await made('Abonents', { name: 'Ivan', contract_number: '1', tarif: tarif.id })
await made('Users', { abonent: ivan.id, login: 'ivan', password: 'word' })
await office.access.refresh({})
await office.radius.start()
await office.nasHealth.start()
t.teardown(() => office.radius.stop())

const client = async (address: string) => {
  const one = await Client.open(office.radius, address)
  t.teardown(() => one.close())
  return one
}
const health = async () => (await root.get('/admin/radius/nas/')).body
const of = async ({ id }: Json) => (await health()).items.find((item: Json) => item.id === id)
const asked = (one: Client, password: string, by = secret) =>
  one.access(
    [
      ['User-Name', 'ivan'],
      ['User-Password', password],
    ],
    { signed: false, secret: by },
  )

t.test('every NAS is there, those that need somebody first', async (t) => {
  const answered = await client('127.0.0.2')
  t.equal((await answered.exchange(asked(answered, 'word'))).code, 'Access-Accept')
  const { items, unknown } = await health()
  t.strictSame(
    items.map(({ name, state }: Json) => [name, state]),
    [
      ['lost', 'silent'],
      ['bad', 'never'],
      ['fresh', 'never'],
      ['good', 'ok'],
      ['off', 'never'],
    ],
  )
  let item = await of(good)
  while (item.learned.message_authenticator === null) item = await of(good)
  t.match(item, { ip: '127.0.0.2', enabled: true, sessions: 0, drops: {}, learned: { message_authenticator: false } })
  t.ok(Date.now() - Date.parse(item.last_packet_at) < 60_000)
  t.ok(item.per_second.accept > 0)
  t.strictSame(item.coa, { ack: 0, nak: 100, no_answer: 0, p50_ms: 50, p99_ms: 99 }, 'from before the start')
  t.strictSame(unknown, [])
})

t.test('a NAS with another secret is told from one whose clients mistype', async (t) => {
  const mistyping = await client('127.0.0.2')
  for (const word of ['one', 'two', 'three', 'four'])
    t.equal((await mistyping.exchange(asked(mistyping, word))).code, 'Access-Reject')
  t.equal((await of(good)).state, 'ok')
  const wrong = await client('127.0.0.3')
  for (let time = 0; time < 12; time++) {
    wrong.send(asked(wrong, 'word', 'another secret'))
    await wrong.next()
  }
  t.equal((await of(bad)).state, 'wrong_secret', 'their passwords are no text')
  const right = await wrong.exchange(asked(wrong, 'word'))
  t.equal(right.code, 'Access-Accept')
  t.equal((await of(bad)).state, 'ok', 'the next right one ends the suspicion')
})

t.test('accounting that is signed with another secret is dropped, counted and suspicious', async (t) => {
  const one = await client('127.0.0.4')
  for (const time of [1, 2, 3])
    one.send(
      one.accounting(
        [
          ['User-Name', `x${time}`],
          ['Acct-Status-Type', 'Start'],
        ],
        { secret: 'another' },
      ),
      'acct',
    )
  await one.exchange(asked(one, 'word'))
  t.ok(await one.staysSilent(one.accounting([['User-Name', 'x']], { secret: 'another' }), 'acct'))
  t.match(await of(fresh), { state: 'ok', drops: { badAuthenticator: 4 } }, 'a Status-Server on that port proved it')
  for (const time of [4, 5, 6])
    one.send(
      one.accounting(
        [
          ['User-Name', `x${time}`],
          ['Acct-Status-Type', 'Start'],
        ],
        { secret: 'another' },
      ),
      'acct',
    )
  while ((await of(fresh)).drops.badAuthenticator < 7) await new Promise((resolve) => setImmediate(resolve))
  t.equal((await of(fresh)).state, 'wrong_secret', 'although sign-ins are well')
})

t.test('addresses without an enabled record are listed apart, and what is no RADIUS is not', async (t) => {
  const stranger = await client('127.0.0.9')
  const disabled = await client('127.0.0.6')
  const noise = await client('127.0.0.10')
  noise.send(Buffer.from('GET / HTTP/1.1\r\n\r\nhello'))
  disabled.send(asked(disabled, 'word'))
  for (let time = 0; time < 3; time++) stranger.send(asked(stranger, 'word'))
  let { unknown } = await health()
  while (unknown.length < 2 || unknown[0].packets < 3) ({ unknown } = await health())
  t.match(unknown, [
    { ip: '127.0.0.9', packets: 3, nas_id: null },
    { ip: '127.0.0.6', packets: 1, nas_id: off.id },
  ])
  await nas('stranger', '127.0.0.9')
  t.notOk(
    (await health()).unknown.some(({ ip }: Json) => ip === '127.0.0.9'),
    'one that has a record by now is none',
  )
})

t.test('what was heard is written once a minute and at the end, and outlives the program', async (t) => {
  const { pool } = office.database
  const clock = new ManualClock(new Date('2027-01-01T12:00:00Z'))
  const entry = nasEntry({ id: nasId(good.id), ip: '127.0.0.2' })
  await office.rows(`UPDATE nas SET last_packet_at = '2027-01-01 11:00Z' WHERE id = $1`, [good.id])
  let heardAtMs = clock.now().getTime()
  const open = async (hasOthers = false) => {
    const one = new NasHealth({
      radius: { seenOfNas: () => new Map([[entry.id, { heardAtMs, garbled: 0, counts: [] }]]), strangers: () => [] },
      sessions: { countByNas: () => new Map([[good.id, 7]]) },
      nas: () => [entry],
      learnedInterims: () => null,
      clockAheadSeconds: () => -75,
      interimSeconds: () => 600,
      hasOthers,
      store: nasHealthStore(pool),
      clock,
      log: silentLog,
    })
    await one.start()
    return one
  }
  const stored = async () =>
    (await office.rows('SELECT last_packet_at FROM nas WHERE id = $1', [good.id]))[0].last_packet_at
  const first = await open()
  clock.advance(55_000)
  t.not((await stored())?.getTime(), heardAtMs, 'not at once')
  clock.advance(5_000)
  while ((await stored())?.getTime() !== heardAtMs) await new Promise((resolve) => setImmediate(resolve))
  heardAtMs += 61_000
  await first.stop()
  t.equal((await stored())?.getTime(), heardAtMs)
  t.strictSame(await office.rows('SELECT clock_ahead_seconds AS ahead FROM nas WHERE id = $1', [good.id]), [
    { ahead: '-75' },
  ])
  const keptMs = heardAtMs
  heardAtMs = 0
  const second = await open(true)
  clock.advance(keptMs - clock.now().getTime() + 30 * 60_000)
  t.match(
    second.report(),
    [{ state: 'ok', sessions: 7, lastPacketAt: new Date(keptMs) }],
    'three interims of ten minutes',
  )
  clock.advance(1)
  t.match(second.report(), [{ state: 'silent' }])
  t.strictSame(second.counts(), { ok: 0, silent: 1, never: 0, wrong_secret: 0 })
  const elsewhere = clock.now()
  await office.rows('UPDATE nas SET last_packet_at = $2 WHERE id = $1', [good.id, elsewhere])
  clock.advance(60_000)
  await until(() => second.counts().ok === 1)
  t.match(second.report(), [{ state: 'ok', lastPacketAt: elsewhere }], 'another node hears it')
  await second.stop()
  t.equal((await stored())?.getTime(), elsewhere.getTime(), 'and the later moment stays')
})

t.test('the first packet ever of a NAS is written within five seconds, later ones once a minute', async (t) => {
  const { id } = await nas('newcomer', '127.0.0.11')
  const clock = new ManualClock(new Date('2027-01-01T12:00:00Z'))
  const entry = nasEntry({ id: nasId(id), ip: '127.0.0.11' })
  const saved: number[] = []
  let heardAtMs = 0
  const one = new NasHealth({
    radius: { seenOfNas: () => new Map([[entry.id, { heardAtMs, garbled: 0, counts: [] }]]), strangers: () => [] },
    sessions: { countByNas: () => new Map() },
    nas: () => [entry],
    learnedInterims: () => null,
    clockAheadSeconds: () => null,
    interimSeconds: () => 600,
    hasOthers: false,
    store: {
      ...nasHealthStore(office.database.pool),
      save: async (heard) => void saved.push(...heard.values()),
    },
    clock,
    log: silentLog,
  })
  await one.start()
  clock.advance(5_000)
  const firstMs = clock.now().getTime()
  heardAtMs = firstMs
  t.match(one.counts(), { ok: 1 }, 'whoever asks the program knows it at once')
  clock.advance(5_000)
  await until(() => saved.length === 1)
  heardAtMs += 5_000
  clock.advance(45_000)
  t.strictSame(saved, [firstMs])
  clock.advance(5_000)
  await until(() => saved.length === 2)
  t.strictSame(saved, [firstMs, heardAtMs])
  await one.stop()
})
