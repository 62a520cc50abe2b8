import fc from 'fast-check'
import t from 'tap'
import { nasId, subscriberId } from '../../../src/domain/ids.ts'
import type { NewSession } from '../../../src/network/radius/accounting/live-session.ts'
import { SessionTable } from '../../../src/network/radius/accounting/session-table.ts'

const session = (id: number, more: Partial<NewSession> = {}): NewSession => ({
  id,
  nasId: nasId(1),
  nasIp: '10.0.0.1',
  nasIdentity: { ipAddress: null, ipv6Address: null, identifier: null },
  acctSessionId: `s${id}`,
  login: `login${id}`,
  userLogin: null,
  userId: null,
  subscriberId: null,
  organizationId: null,
  ip: null,
  offeredIp: null,
  delegatedIpv6Prefix: null,
  ipv6Prefix: null,
  mac: null,
  callingStationId: null,
  nasPort: null,
  inGarden: null,
  startedAtMs: id,
  receivedAtMs: id,
  reportedAtMs: id,
  sessionTime: 0,
  inputOctets: 0n,
  outputOctets: 0n,
  ...more,
})

t.test('the table of live sessions agrees with a plain list, whatever comes and goes', async (t) => {
  const step = fc.record({
    add: fc.boolean(),
    login: fc.integer({ min: 0, max: 5 }),
    subscriber: fc.integer({ min: 0, max: 3 }),
    nas: fc.integer({ min: 1, max: 3 }),
    pick: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const sessions = new SessionTable()
      const model: { slot: number; session: NewSession }[] = []
      for (const [index, { add, login, subscriber, nas, pick }] of steps.entries()) {
        if (add || model.length === 0) {
          const one = session(index + 1, {
            login: `login${login}`,
            nasId: nasId(nas),
            subscriberId: subscriber === 0 ? null : subscriber,
          })
          model.push({ slot: sessions.add(one), session: one })
        } else if (pick % 3 === 0) {
          const one = model[pick % model.length]!
          one.session = { ...one.session, subscriberId: subscriber + 1, userLogin: `login${login}` }
          sessions.learn(one.slot, { subscriberId: subscriber + 1, userLogin: `login${login}` })
        } else sessions.remove(model.splice(pick % model.length, 1)[0]!.slot)
      }
      const ids = (list: Iterable<{ id: string | number }>) =>
        [...list].map(({ id }) => Number(id)).sort((a, b) => a - b)
      const wanted = (is: (one: NewSession) => boolean) => ids(model.map((one) => one.session).filter(is))
      const same = (a: number[], b: number[]) => a.join() === b.join()
      if (
        sessions.size !== model.length ||
        !same(
          ids(sessions.all()),
          wanted(() => true),
        )
      )
        return false
      for (let i = 0; i <= 5; i++) {
        const login = `login${i}`
        if (
          !same(
            ids(sessions.liveOf(login)),
            wanted((one) => (one.userLogin ?? one.login) === login),
          )
        )
          return false
        if (
          !same(
            ids(sessions.ofSubscriber(subscriberId(i))),
            wanted((one) => one.subscriberId === i),
          )
        )
          return false
        if (
          !same(
            ids(sessions.ofNas(nasId(i))),
            wanted((one) => one.nasId === i),
          )
        )
          return false
      }
      return model.every(({ slot, session: one }) => sessions.find(one) === slot)
    }),
  )
  t.pass()
})

t.test('counters only grow, beyond 32 bits', async (t) => {
  const sessions = new SessionTable()
  const slot = sessions.add(session(1))
  sessions.count(slot, { atMs: 0, sessionTime: 10, inputOctets: 2n ** 40n, outputOctets: 5n }, 1000)
  sessions.count(slot, { atMs: 0, sessionTime: 5, inputOctets: 1n, outputOctets: 6n }, 500)
  t.match(sessions.at(slot), {
    sessionTime: 10,
    inputOctets: 2n ** 40n,
    outputOctets: 6n,
    updatedAt: new Date(1000),
  })
})

t.test('a reused slot holds nothing of its former session', async (t) => {
  const sessions = new SessionTable()
  const slot = sessions.add(session(1, { ip: '10.0.0.1', ipv6Prefix: '2001:db8::/56', mac: 'x', nasPort: 0 }))
  t.equal(sessions.at(slot).nasPort, 0)
  sessions.remove(slot)
  t.equal(sessions.byId(1), null)
  t.equal(sessions.add(session(2)), slot)
  t.match(sessions.at(slot), { ip: null, ipv6Prefix: null, mac: null, nasPort: null, id: '2' })
  t.same(
    sessions.silentSince(3).map(({ id }) => id),
    ['2'],
  )
})
