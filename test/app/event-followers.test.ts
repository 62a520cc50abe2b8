import t from 'tap'
import { type Followers, followEvents, followersInOrder } from '../../src/app/event-followers.ts'
import { Events, type TollgateEvent } from '../../src/domain/events.ts'
import { anAccount } from '../support/account.ts'

type Kind = TollgateEvent['kind']

const kinds = Object.keys(followersInOrder) as Kind[]
const names = [...new Set(Object.values(followersInOrder).flat())]

/** A follower that has every method, writes down that it was told, and fails when it is said to. */
function aFollower(name: string, told: string[], failing: ReadonlySet<string>) {
  const follow = ({ kind }: TollgateEvent) => {
    told.push(`${kind} ${name}`)
    if (failing.has(name)) throw new Error(`${name} is broken`)
  }
  return Object.fromEntries(kinds.map((kind) => [kind, follow]))
}

function aBus(failing: readonly string[] = []) {
  const told: string[] = []
  const errors: string[] = []
  const events = new Events((error) => errors.push((error as Error).message))
  const followers: Record<string, unknown> = {}
  followEvents(events, followers as Followers)
  // They come in another order than that in which they are told.
  for (const name of names.toReversed()) followers[name] = aFollower(name, told, new Set(failing))
  return { followers, told, errors, publish: (kind: Kind) => events.publish({ kind } as TollgateEvent) }
}

t.test(
  'a commit calls the access table first, then other nodes, subscribers, outbox, webhooks, screens and counters',
  async (t) => {
    const { told, publish } = aBus()
    publish('accountCommitted')
    t.same(told, [
      'accountCommitted accessTable',
      'accountCommitted nodes',
      'accountCommitted subscribers',
      'accountCommitted clientSessions',
      'accountCommitted outbox',
      'accountCommitted webhooks',
      'accountCommitted phones',
      'accountCommitted live',
      'accountCommitted metrics',
    ])
  },
)

t.test('each kind of event reaches those of its list, in the order of the list', async (t) => {
  for (const kind of kinds) {
    const { told, publish } = aBus()
    publish(kind)
    t.same(
      told,
      followersInOrder[kind].map((name) => `${kind} ${name}`),
    )
  }
})

t.test('a follower that fails is reported, and the next ones are called', async (t) => {
  const { told, errors, publish } = aBus(['accessTable', 'live'])
  publish('accountCommitted')
  t.equal(told.length, followersInOrder.accountCommitted.length)
  t.same(errors, ['accessTable is broken', 'live is broken'])
})

t.test('a part that is not made yet is left out, and keeps its place', async (t) => {
  const { followers, told, publish } = aBus()
  const { outbox } = followers
  delete followers.outbox
  publish('accountCommitted')
  t.notOk(told.includes('accountCommitted outbox'))
  followers.outbox = outbox
  told.length = 0
  publish('accountCommitted')
  t.equal(told[4], 'accountCommitted outbox')
})

t.test('a method is called as one of its follower', async (t) => {
  class Outbox {
    readonly seen: number[] = []
    accountCommitted({ after }: { after: { id: number } }): void {
      this.seen.push(after.id)
    }
  }
  const events = new Events((error) => {
    throw error
  })
  const outbox = new Outbox()
  followEvents(events, { outbox })
  const account = anAccount()
  const event = { kind: 'accountCommitted', before: account, after: account, operations: [], effects: [] } as const
  events.publish({ ...event, at: new Date() })
  t.same(outbox.seen, [account.id])
})
