import { randomBytes } from 'node:crypto'
import t from 'tap'
import { ReplyReader } from '../../../src/network/access/replies.ts'
import { AccessPreview } from '../../../src/network/radius/access-preview.ts'
import { RealmList } from '../../../src/domain/realms.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { type Answer, type Client, nasEntry, RadiusFixture, usualSettings } from './fixture.ts'
import { build, type Tlv } from './wire/builder.ts'

const filters = Array.from({ length: 10 }, (_, at) => ({ name: 'Filter-Id', value: `${at}`.repeat(200) }))
const replies = new ReplyReader(silentLog)
/** So many octets of Filter-Id for a login, and as many of its tariff. */
const listed = (user: number, tariff = 0) => {
  const { ip: _, ...reply } = replies.read(
    JSON.stringify(filters.slice(0, user)),
    JSON.stringify(filters.slice(0, tariff)),
  )
  return reply
}

/** Proxy-State attributes of so many octets together. */
function proxyStates(octets: number): Tlv[] {
  const states: Tlv[] = []
  for (let left = octets; left > 0; left -= Math.min(left, 255)) states.push([33, randomBytes(Math.min(left, 255) - 2)])
  return states
}

const statesOf = (answer: Answer) =>
  answer.raw.filter(([type]) => type === 33).map(([, value]) => value.toString('hex'))
const sent = (states: Tlv[]) => states.map(([, value]) => Buffer.from(value).toString('hex'))

/** A request of a MAC address, which needs no password, signed or not. */
const request = (client: Client, more: Tlv[]) => client.raw([[1, '02-00-00-00-00-01'], ...more])

async function withStation(t: { teardown(deed: () => unknown): unknown }, user: number, tariff = 0) {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: 'right', mac: 0x020000000001, ...listed(user, tariff) })
  return { fixture, client: await fixture.client() }
}

t.test('an Access-Accept carries all of its attributes and every Proxy-State, or is none', async (t) => {
  const { fixture, client } = await withStation(t, 9)
  const fitting = proxyStates(1900)
  const accept = await client.exchange(request(client, fitting))
  t.equal(accept.code, 'Access-Accept')
  t.strictSame(statesOf(accept), sent(fitting))
  t.equal(accept.raw.filter(([type]) => type === 11).length, 9)

  const long = proxyStates(2200)
  const rejected = fixture.nextRejection()
  const reject = await client.exchange(request(client, long))
  t.equal(reject.code, 'Access-Reject')
  t.equal(reject.attributes['Reply-Message'], 'the answer is too long')
  t.strictSame(statesOf(reject), sent(long), 'whole and in order')
  t.match(await rejected, { code: 'answer_too_long', login: '02-00-00-00-00-01', reason: /Proxy-State .* 4096 octets/ })
})

t.test('an Access-Reject that has no room beside its Proxy-State is not sent, and is counted', async (t) => {
  const { fixture, client } = await withStation(t, 0)
  // What is neither signed nor long leaves 36 octets less than the answer needs.
  const unsigned = build(1, client.identifier, randomBytes(16), [[1, 'x'], ...proxyStates(4040)])
  t.ok(await client.staysSilent(unsigned))
  t.match(
    fixture.engine.snapshot().counts.filter(({ fault }) => fault !== null),
    [{ fault: 'answerTooLong', nas: 'bras-1', count: 1 }],
  )
})

t.test('the lists of a login and of its tariff that do not fit into one answer are told of before', async (t) => {
  const { fixture, client } = await withStation(t, 10, 10)
  t.equal((await client.exchange(request(client, []))).code, 'Access-Reject', 'without any Proxy-State')
  const preview = new AccessPreview({
    access: fixture,
    settings: () => usualSettings,
    namesAt: () => ({ realms: RealmList.none, ignoresCase: false }),
  })
  t.teardown(() => preview.close())
  t.match(
    preview.answer(nasEntry(), 'ivan', new Date(), () => true),
    { result: 'reject', code: 'answer_too_long' },
  )
})
