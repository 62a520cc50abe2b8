import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { followEvents } from '../../src/app/event-followers.ts'
import { Events } from '../../src/domain/events.ts'
import { type SubscriberId, subscriberId } from '../../src/domain/ids.ts'
import type { Language } from '../../src/domain/language.ts'
import { Phones, type PhonesParts, phonesPath } from '../../src/live/phones.ts'
import { systemClock } from '../../src/platform/actors/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { startServer } from '../platform/http/parts.ts'
import { anAccount } from '../support/account.ts'
import { LivePhone } from '../support/phone.ts'
import { aSession } from './a-session.ts'

const [ivan, anna] = [subscriberId(1), subscriberId(2)]
const users = new Map([
  ['token-ivan', { subscriberId: ivan, session: 'ivan on the phone' }],
  ['token-anna', { subscriberId: anna, session: 'anna on the phone' }],
])

/** Alarms ring when the test says so. */
function handClock() {
  const alarms: (() => void)[] = []
  const after = (_: number, callback: () => void) => {
    alarms.push(callback)
    return () => {}
  }
  return { alarms, clock: { now: () => new Date(), after } }
}

async function served(t: Test, over: Partial<PhonesParts> = {}) {
  const events = new Events((error) => t.fail(String(error)))
  /** Counts readings by subscriber; the answer is the count. */
  const readings = new Map<SubscriberId, number>()
  const statuses: PhonesParts['statuses'] = async (ids, language) =>
    new Map(
      ids.map((id) => {
        readings.set(id, (readings.get(id) ?? 0) + 1)
        return [id, { abonent_id: id, reading: readings.get(id), language }]
      }),
    )
  const phones = new Phones({
    clock: systemClock,
    log: silentLog,
    find: async (token) => users.get(token) ?? null,
    going: async (sessions) => new Set(sessions),
    statuses,
    statusAfter: () => () => null,
    observe: () => {},
    ...over,
  })
  followEvents(events, { phones })
  const { server, port } = await startServer([], {}, (server) => server.ws(phonesPath, phones.endpoint))
  const base = `ws://127.0.0.1:${port}/mobile-api/v1`
  t.teardown(async () => {
    phones.stop()
    await server.stop()
  })
  const connect = (token: string, by: 'protocol' | 'message' = 'protocol', language = 'ru') => {
    const live = new LivePhone(base, by, token, language)
    t.teardown(() => live.close())
    return live
  }
  const committed = (id: SubscriberId, deleted = false) => {
    const before = anAccount()
    const after = { ...before, subscribers: [{ ...before.subscribers[0]!, id, deleted }] }
    events.publish({ kind: 'accountCommitted', at: new Date(), before, after, operations: [], effects: [] })
  }
  return { events, phones, connect, committed, base, readings }
}

t.test('the token comes as a sub-protocol, in Authorization or as the first message', async (t) => {
  const { connect, base } = await served(t)
  const byProtocol = connect('token-ivan')
  const first = await byProtocol.frame(() => true)
  t.match(first, { type: 'status', seq: 1, status: { abonent_id: 1, language: 'ru' } })
  t.equal(byProtocol.socket.protocol, 'bearer', 'the token is not sent back')
  const byMessage = connect('token-anna', 'message', 'en')
  t.match(await byMessage.frame(() => true), { type: 'status', seq: 1, status: { abonent_id: 2, language: 'en' } })
  const byHeader = (token: string) => new WebSocket(`${base}/live`, { headers: { Authorization: `Bearer ${token}` } })
  const socket = byHeader('token-ivan')
  const [frame] = await once(socket, 'message')
  t.match(JSON.parse(String(frame)), { type: 'status', seq: 1, status: { abonent_id: 1 } })
  socket.close()
  t.equal((await once(byHeader('forged'), 'close'))[0], 4401)
})

t.test('one client has a thousand sockets at most, and others are not concerned', async (t) => {
  const unchanged: PhonesParts['statuses'] = async (ids) => new Map(ids.map((id) => [id, { abonent_id: id }]))
  const { connect } = await served(t, { statuses: unchanged })
  const open = Array.from({ length: 1000 }, () => connect('token-ivan'))
  for (const phone of open) await phone.frame(({ type }) => type === 'status')
  t.match(await connect('token-ivan').end(), { code: 1013, reason: 'too many connections' })
  await connect('token-anna').frame(({ type }) => type === 'status')
})

t.test('a bad token closes with 4401, and so does anything else before one', async (t) => {
  const { connect, base, phones } = await served(t)
  for (const by of ['protocol', 'message'] as const) t.match(await connect('forged', by).end(), { code: 4401 }, by)
  for (const message of [
    '',
    '{',
    'null',
    '[]',
    '{"type":"auth"}',
    '{"type":"snapshot"}',
    '{"type":"auth","token":7}',
  ]) {
    const socket = new WebSocket(`${base}/live`)
    socket.on('open', () => socket.send(message))
    const [code] = await once(socket, 'close')
    t.equal(code, 4401, message)
  }
  t.equal(phones.sockets, 0)
})

t.test('a phone that does not authenticate is closed', async (t) => {
  const { clock, alarms } = handClock()
  const { base } = await served(t, { clock })
  const socket = new WebSocket(`${base}/live`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  // The first alarm is that of the sessions.
  while (alarms.length < 2) await new Promise(setImmediate)
  alarms[1]!()
  t.equal((await closed)[0], 4401)
})

t.test('a change is sent to the phones of its subscriber and to nobody else', async (t) => {
  const { connect, committed, events } = await served(t)
  const [phone, tablet, other] = [connect('token-ivan'), connect('token-ivan'), connect('token-anna')]
  for (const one of [phone, tablet, other]) await one.status()
  committed(ivan)
  const { reading } = await phone.status(({ reading }) => reading > phone.frames[0].status.reading)
  await tablet.status((status) => status.reading >= reading)
  events.publish({ kind: 'sessionStarted', at: new Date(), session: { ...aSession(), subscriberId: ivan } })
  await phone.status((status) => status.reading > reading)
  t.equal(other.frames.length, 1)
  const numbers = phone.frames.map(({ seq }) => seq)
  t.same(
    numbers,
    numbers.map((_, at) => at + 1),
    'numbered without a gap',
  )
})

t.test('many changes at once are one reading, and the last of them is seen', async (t) => {
  const { connect, committed, readings } = await served(t)
  const phone = connect('token-ivan')
  await phone.status()
  for (let n = 0; n < 500; n++) committed(ivan)
  const last = await phone.status(({ reading }) => reading > 1)
  t.ok(last.reading <= 3 && readings.get(ivan)! <= 3)
})

t.test('a status that is known after a commit is sent without a reading', async (t) => {
  const statusAfter: PhonesParts['statusAfter'] = () => (id, language) =>
    id === ivan ? { abonent_id: id, isKnown: true, language } : null
  const { connect, committed, readings } = await served(t, { statusAfter })
  const phones = [connect('token-ivan'), connect('token-ivan'), connect('token-ivan', 'protocol', 'en')]
  const other = connect('token-anna')
  for (const phone of [...phones, other]) await phone.status()
  const before = readings.get(ivan)
  committed(ivan)
  for (const phone of phones) await phone.status(({ isKnown }) => isKnown)
  t.match(await phones[2]!.status(({ isKnown }) => isKnown), { language: 'en' })
  committed(anna)
  await other.status(({ reading }) => reading > 1)
  t.equal(readings.get(ivan), before)
})

t.test('a status that cannot be made after a commit is read', async (t) => {
  const statusAfter: PhonesParts['statusAfter'] = () => () => {
    throw new Error('The account makes no sense.')
  }
  const { connect, committed } = await served(t, { statusAfter })
  const phone = connect('token-ivan')
  await phone.status()
  committed(ivan)
  t.match(await phone.status(({ reading }) => reading === 2), { abonent_id: 1 })
})

t.test('a reading under way when a commit comes is followed by another one', async (t) => {
  const statusAfter: PhonesParts['statusAfter'] = () => (id) => ({ abonent_id: id, isKnown: true })
  const begun: (() => void)[] = []
  const statuses: PhonesParts['statuses'] = async (ids) => {
    const reading = begun.length + 1
    await new Promise<void>((resolve) => begun.push(resolve))
    return new Map(ids.map((id) => [id, { abonent_id: id, reading }]))
  }
  const { connect, committed } = await served(t, { statuses, statusAfter })
  const phone = connect('token-ivan')
  while (begun.length === 0) await new Promise(setImmediate)
  committed(ivan)
  await new Promise(setImmediate)
  begun[0]!()
  while (begun.length === 1) await new Promise(setImmediate)
  begun[1]!()
  await phone.status(({ reading }) => reading === 2)
  t.same(
    phone.frames.map(({ status }) => status.reading),
    [1, 2],
    'the older status did not come after the newer one',
  )
})

t.test('what may have changed and has not is not sent again', async (t) => {
  const same: PhonesParts['statuses'] = async (ids) => new Map(ids.map((id) => [id, { abonent_id: id }]))
  const { connect, phones } = await served(t, { statuses: same })
  const phone = connect('token-ivan')
  await phone.status()
  phones.mayHaveChanged([ivan, anna])
  phone.send({ type: 'snapshot' })
  await phone.frame(({ seq }) => seq === 2)
  t.same(
    phone.frames.map(({ type }) => type),
    ['status', 'status'],
    'the second was asked for',
  )
})

t.test('a status that cannot be read is read again', async (t) => {
  let isAway = true
  const statuses: PhonesParts['statuses'] = async (ids) => {
    if (isAway) throw new Error('The database is away.')
    return new Map(ids.map((id) => [id, { abonent_id: id }]))
  }
  const { clock, alarms } = handClock()
  const { connect } = await served(t, { statuses, clock })
  const phone = connect('token-ivan')
  while (alarms.length < 2) await new Promise(setImmediate)
  isAway = false
  alarms[1]!()
  t.match(await phone.status(), { abonent_id: 1 })
})

t.test('what time alone changes is seen within minutes', async (t) => {
  let isAsleep = true
  const statuses: PhonesParts['statuses'] = async (ids) =>
    new Map(ids.map((id) => [id, { abonent_id: id, is_blocked: isAsleep }]))
  const { clock, alarms } = handClock()
  const { connect } = await served(t, { statuses, clock })
  const phone = connect('token-ivan')
  await phone.status()
  isAsleep = false
  for (let minute = 0; minute < 5; minute++) {
    const rung = alarms.length
    alarms.at(-1)!()
    while (alarms.length === rung) await new Promise(setImmediate)
  }
  t.match(await phone.status(({ is_blocked }) => !is_blocked), { abonent_id: 1 })
  t.equal(phone.frames.length, 2)
})

t.test('a message is sent as a notification, in the language of the phone', async (t) => {
  const { connect, phones } = await served(t)
  const phone = connect('token-ivan')
  const english = connect('token-ivan', 'protocol', 'en')
  await Promise.all([phone.status(), english.status()])
  const wordings = {
    ru: { title: 'Платёж зачислен', text: 'Зачислено 100 руб.' },
    en: { title: 'Payment received', text: '100 RUB received.' },
  }
  const message = { id: 5, kind: 'payment_credited' }
  const told = { ...message, wordingIn: (language: Language) => wordings[language] }
  phones.messagesWritten([
    { ...told, subscriberId: anna },
    { ...told, subscriberId: ivan },
  ])
  const notification = (one: LivePhone) => one.frame(({ type }) => type === 'notification')
  t.match(await notification(phone), { seq: Number, notification: { ...message, ...wordings.ru } })
  t.match(await notification(english), { seq: Number, notification: { ...message, ...wordings.en } })
  for (const { frames } of [phone, english])
    t.strictSame(
      frames.map(({ seq }) => seq),
      frames.map((_, at) => at + 1),
      'numbered like every other frame',
    )
})

t.test('a socket ends with its session, and with its subscriber', async (t) => {
  const { connect, phones, committed } = await served(t)
  const [phone, other] = [connect('token-ivan'), connect('token-anna')]
  await Promise.all([phone.status(), other.status()])
  phones.sessionEnded('ivan on the phone')
  t.match(await phone.end(), { code: 4401, reason: 'signed out' })
  t.equal(other.closed, null)
  committed(anna, true)
  t.match(await other.end(), { code: 4401 })
})

t.test('messages have an answer, and too many of them end the socket', async (t) => {
  const { connect } = await served(t)
  const phone = connect('token-ivan')
  await phone.status()
  phone.send({ type: 'ping' })
  await phone.frame(({ type }) => type === 'pong')
  phone.send('nonsense')
  t.match(await phone.frame(({ type }) => type === 'error'), { error: 'bad_message' })
  for (let n = 0; n < 100; n++) phone.send('nonsense')
  t.match(await phone.end(), { code: 1008 })
})

t.test('a phone that does not read holds up nobody, and gets the latest when it reads again', async (t) => {
  let version = 0
  const filler = 'x'.repeat(20_000)
  const statuses: PhonesParts['statuses'] = async (ids) =>
    new Map(ids.map((id) => [id, { abonent_id: id, version: ++version, filler }]))
  const { connect, committed } = await served(t, { statuses })
  const [slow, quick] = [connect('token-ivan'), connect('token-ivan')]
  await Promise.all([slow.status(), quick.status()])
  slow.socket.pause()
  for (let n = 0; n < 1_000; n++) {
    committed(ivan)
    const wanted = version
    await quick.status((status) => status.version > wanted)
    quick.frames.length = 0
  }
  slow.socket.resume()
  const last = await slow.frame(({ status }) => status.version === version)
  t.ok(slow.frames.length < 1_000, `${slow.frames.length} of 1,000 frames came through`)
  t.ok(last.seq > slow.frames.length, 'the numbers show that some were replaced')
})
