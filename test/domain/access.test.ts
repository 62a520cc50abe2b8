import t from 'tap'
import { type AccessEntry, decideAccess, type RefusalReason, replyMessage } from '../../src/domain/access.ts'
import { blockBits } from '../../src/domain/block.ts'

const now = 1_800_000_000
const station = 77
const reject = { simultaneous: 'reject' } as const
const replace = { simultaneous: 'replace' } as const

const entry = (changes: Partial<AccessEntry> = {}): AccessEntry => ({
  deleted: false,
  disabledByHand: false,
  loginEnabled: true,
  subscriberEnabled: true,
  blockBits: 0,
  asleepUntil: 0,
  accessEnd: 0,
  walledGarden: false,
  simultaneousUse: 1,
  liveSessions: 0,
  hasStation: () => false,
  ...changes,
})
const blocked = (bits: number, changes: Partial<AccessEntry> = {}) =>
  entry({ blockBits: bits, subscriberEnabled: false, loginEnabled: false, ...changes })
const { debt, operator, client, system } = blockBits

t.test('who is refused, and why', async (t) => {
  const cases: [string, AccessEntry, RefusalReason | null][] = [
    ['open access', entry(), null],
    ['deleted', entry({ deleted: true }), 'subscriberDeleted'],
    ['deleted and blocked', blocked(operator, { deleted: true }), 'subscriberDeleted'],
    ['switched off by hand', entry({ disabledByHand: true, loginEnabled: false }), 'loginDisabled'],
    [
      'switched off by hand, garden or not',
      blocked(debt, { disabledByHand: true, walledGarden: true }),
      'loginDisabled',
    ],
    ['in debt', blocked(debt), 'negativeBalance'],
    ['by the operator', blocked(operator), 'blockedByOperator'],
    ['by the client', blocked(client), 'blockedByClient'],
    ['by the system', blocked(system), 'blockedBySystem'],
    ['by everybody: the operator is named', blocked(debt | operator | client | system), 'blockedByOperator'],
    ['in debt and by the client', blocked(debt | client), 'negativeBalance'],
    ['Abonents.enabled false without a block', entry({ subscriberEnabled: false }), 'subscriberDisabled'],
    ['Users.enabled false without a block', entry({ loginEnabled: false }), 'loginDisabled'],
    ['a block record beside enabled = true: enabled decides', entry({ blockBits: debt }), null],
    ['asleep', entry({ asleepUntil: now + 1 }), 'asleep'],
    ['just awake', entry({ asleepUntil: now }), null],
    ['asleep, in the garden', blocked(debt, { asleepUntil: now + 1, walledGarden: true }), 'asleep'],
    ['asleep and blocked by the operator', blocked(operator, { asleepUntil: now + 1 }), 'blockedByOperator'],
    ['an unlimited term that ran out over a debt', entry({ accessEnd: now }), 'negativeBalance'],
    ['garden, in debt', blocked(debt, { walledGarden: true }), null],
    ['garden, by the client', blocked(client, { walledGarden: true }), null],
    ['garden, by the operator too', blocked(debt | operator, { walledGarden: true }), 'blockedByOperator'],
    ['garden, by the system', blocked(system, { walledGarden: true }), 'blockedBySystem'],
    [
      'garden, switched off without a block',
      entry({ subscriberEnabled: false, walledGarden: true }),
      'subscriberDisabled',
    ],
    ['one session too many', entry({ liveSessions: 1 }), 'tooManySessions'],
    ['room for another', entry({ liveSessions: 1, simultaneousUse: 2 }), null],
    ['the same station', entry({ liveSessions: 1, hasStation: (one) => one === station }), null],
    ['no session allowed at all', entry({ simultaneousUse: 0 }), 'tooManySessions'],
  ]
  for (const [name, who, reason] of cases) {
    const decision = decideAccess(who, now, station, reject)
    t.equal(decision.kind === 'refusal' ? decision.reason : null, reason, name)
  }
})

t.test('a grant has its duration, the walled garden and the session it replaces', async (t) => {
  const grantOf = (who: AccessEntry, rules = reject as Parameters<typeof decideAccess>[3], from = station) =>
    decideAccess(who, now, from, rules)
  t.match(grantOf(entry()), { walledGarden: false, sessionSeconds: 0, replaces: 'nothing' })
  t.match(grantOf(entry({ accessEnd: now + 90.5 })), { sessionSeconds: 91 })
  t.match(grantOf(blocked(debt, { walledGarden: true, accessEnd: now + 90 })), {
    walledGarden: true,
    sessionSeconds: 600,
  })
  t.match(grantOf(entry({ accessEnd: now - 1, walledGarden: true })), { walledGarden: true })
  const full = { liveSessions: 2, simultaneousUse: 2 }
  t.match(grantOf(entry({ ...full, hasStation: () => true })), { replaces: 'station' })
  t.match(grantOf(entry({ ...full, hasStation: () => true }), replace), { replaces: 'station' })
  t.match(grantOf(entry(full), replace), { replaces: 'oldest' })
  t.match(
    grantOf(entry({ ...full, hasStation: () => true }), reject, 0),
    { kind: 'refusal' },
    'no station, no such place',
  )
})

t.test('the reasons in words', async (t) => {
  const messageOf = (reason: RefusalReason, asleepUntil: number | null = null, zone = 'Europe/Moscow') =>
    replyMessage(reason, asleepUntil === null ? null : { asleepUntil }, zone)
  t.equal(messageOf('negativeBalance'), 'blocked: negative balance')
  t.equal(messageOf('unknownLogin'), messageOf('wrongPassword'))
  t.equal(messageOf('asleep', 1_800_000_000), 'frozen until 2027-01-15T11:00:00+03:00')
  t.equal(messageOf('asleep', 1_800_000_000, 'America/St_Johns'), 'frozen until 2027-01-15T04:30:00-03:30')
})
