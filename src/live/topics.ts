import { type Account, type Subscriber, subscribersById } from '../domain/account.ts'
import { blockReasons, isBlocked, sameBlocks } from '../domain/block.ts'
import type { EventOf, TollgateEvent } from '../domain/events.ts'
import { type SubscriberId, subscriberId } from '../domain/ids.ts'
import { formatRubles } from '../domain/money.ts'
import { isPayment, type Operation } from '../domain/operation.ts'
import { type Audience, type FrameFields, type Notice, sessionFields, type Topic } from './frames.ts'

/** Turns one event of the program into the notices that sockets get. */
export function noticesOf(event: TollgateEvent): Notice[] {
  switch (event.kind) {
    case 'sessionStarted':
    case 'sessionUpdated':
    case 'sessionStopped':
      return [sessionNotice(event)]
    case 'accessRejected':
      return [rejectionNotice(event)]
    case 'coaAnswered':
      return [coaNotice(event)]
    case 'jobChanged':
      return [jobNotice(event)]
    case 'accountCommitted':
      return accountNotices(event)
    case 'ticketChanged':
      return [ticketNotice(event)]
  }
}

const abonentTopic = (id: SubscriberId): Topic => `abonent:${id}`

/** Of the topic of one subscriber; null: it is another one. */
export const subscriberOf = (topic: Topic): SubscriberId | null =>
  topic.startsWith('abonent:') ? subscriberId(Number(topic.slice('abonent:'.length))) : null

const andAbonent = (topic: Topic, id: SubscriberId | null): Topic[] =>
  id === null ? [topic] : [topic, abonentTopic(id)]

const sessionTypes = {
  sessionStarted: 'session.started',
  sessionUpdated: 'session.updated',
  sessionStopped: 'session.stopped',
} as const

function sessionNotice({ kind, at, session }: EventOf<'sessionStarted' | 'sessionUpdated' | 'sessionStopped'>): Notice {
  return {
    type: sessionTypes[kind],
    at,
    topics: andAbonent('sessions', session.subscriberId),
    audience: session.organizationId,
    ...(kind === 'sessionUpdated' && { replaces: `session:${session.id}` }),
    fields: { session: sessionFields(session) },
  }
}

const rejectionNotice = (event: EventOf<'accessRejected'>): Notice => ({
  type: 'access.rejected',
  at: event.at,
  topics: andAbonent('radius', event.subscriberId),
  audience: event.organizationId,
  replaces: `rejected:${event.nasId}:${event.login}`,
  fields: {
    login: event.login,
    abonent_id: event.subscriberId,
    organization_id: event.organizationId,
    nas_id: event.nasId,
    reason: event.reason,
    code: event.code,
    station: event.station,
  },
})

const coaNotice = (event: EventOf<'coaAnswered'>): Notice => ({
  type: 'coa.answered',
  at: event.at,
  topics: andAbonent('radius', event.subscriberId),
  audience: event.organizationId,
  fields: {
    request: event.request,
    login: event.login,
    abonent_id: event.subscriberId,
    organization_id: event.organizationId,
    nas_id: event.nasId,
    result: event.result,
    error_cause: event.errorCause,
    took_ms: event.tookMs,
  },
})

/** What a job comes to concerns all organizations and is not told here; that it runs is no secret. */
const jobNotice = ({ at, name, done, total, ok }: EventOf<'jobChanged'>): Notice => ({
  type: 'job.changed',
  at,
  topics: ['system'],
  audience: 'everybody',
  replaces: `job:${name}`,
  fields: { name, running: ok === null, done, total, ok },
})

const ticketNotice = ({ at, deeds, ticket }: EventOf<'ticketChanged'>): Notice => ({
  type: 'ticket.changed',
  at,
  topics: andAbonent('tickets', ticket.subscriberId),
  audience: ticket.organizationId,
  fields: {
    deeds,
    ticket: {
      id: ticket.id,
      abonent_id: ticket.subscriberId,
      organization_id: ticket.organizationId,
      subject: ticket.subject,
      status: ticket.status,
      create_date: ticket.create_date,
      assignee_id: ticket.assigneeId,
      last_author: ticket.lastAuthor,
      last_at: ticket.lastAt,
    },
  },
})

/** In the order in which an operator would report it: the payment, the new balance, the access. */
const accountNotices = ({ at, before, after, operations }: EventOf<'accountCommitted'>): Notice[] => [
  ...operations.filter((operation) => isTold(operation, before, after)).map((op) => paymentNotice(at, after, op)),
  ...(sameFunds(before, after) ? [] : balanceNotices(at, before, after)),
  ...(after.subscribers === before.subscribers ? [] : subscriberNotices(at, before, after)),
]

function subscriberNotices(at: Date, before: Account, after: Account): Notice[] {
  const earlier = subscribersById(before)
  return after.subscribers.flatMap((is) => {
    const was = earlier.get(is.id)
    return [
      ...(blockDiffers(was, is) ? [blockNotice(at, after, is)] : []),
      ...(promiseDiffers(was, is) ? [promiseNotice(at, after, is)] : []),
    ]
  })
}

/** Whether a screen that is opened later shows some of what is told of this commit: a payment, or a block. */
export const isShownLater = ({ before, after, operations }: EventOf<'accountCommitted'>): boolean =>
  after.subscribers !== before.subscribers || operations.some((operation) => isTold(operation, before, after))

/** The reversal of an expense is not a payment. */
const isTold = ({ typeId, amount, reversalOf }: Operation, before: Account, after: Account): boolean =>
  isPayment(typeId, amount) && reversalOf === null && after.receipts > before.receipts

function paymentNotice(at: Date, account: Account, operation: Operation): Notice {
  return {
    type: 'payment.credited',
    at,
    topics: ['finance', ...topicsOf(account, operation.organizationId)],
    audience: operation.organizationId,
    fields: {
      op_id: operation.id,
      op_type_id: operation.typeId,
      amount: formatRubles(operation.amount),
      balance: formatRubles(account.balance),
      account_id: account.id,
      abonent_id: operation.subscriberId,
      organization_id: operation.organizationId,
      op_date: operation.movedAt,
    },
  }
}

const sameFunds = (a: Account, b: Account): boolean =>
  a.balance === b.balance &&
  a.limit === b.limit &&
  a.unlimited === b.unlimited &&
  a.unlimitedUntil?.getTime() === b.unlimitedUntil?.getTime()

/** One notice per organization, so that nobody sees a subscriber of another one; there is nearly always only one. */
function balanceNotices(at: Date, before: Account, after: Account): Notice[] {
  const organizations: Audience[] = [...new Set(after.subscribers.map(({ organizationId }) => organizationId))]
  if (organizations.length === 0) organizations.push(null)
  return organizations.map((organization) => ({
    type: 'balance.changed',
    at,
    topics: ['finance', ...topicsOf(after, organization)],
    audience: organization,
    replaces: `balance:${after.id}:${organization}`,
    fields: {
      organization_id: organization,
      abonent_ids: after.subscribers.filter((s) => s.organizationId === organization).map(({ id }) => id),
      previous: formatRubles(before.balance),
      ...accountFields(after),
    },
  }))
}

const topicsOf = (account: Account, organization: Audience): Topic[] =>
  account.subscribers.filter((s) => s.organizationId === organization).map(({ id }) => abonentTopic(id))

/** A subscriber who is new on the account is reported only when access is not open. */
const blockDiffers = (was: Subscriber | undefined, is: Subscriber): boolean =>
  was
    ? !sameBlocks(was.blocks, is.blocks) || was.enabled !== is.enabled || was.deleted !== is.deleted
    : isBlocked(is.blocks) || !is.enabled

const blockNotice = (at: Date, account: Account, subscriber: Subscriber): Notice =>
  subscriberNotice('block.changed', at, account, subscriber, accessFields(subscriber))

const promiseDiffers = (was: Subscriber | undefined, is: Subscriber): boolean =>
  (was?.promise?.until.getTime() ?? null) !== (is.promise?.until.getTime() ?? null)

const promiseNotice = (at: Date, account: Account, subscriber: Subscriber): Notice =>
  subscriberNotice('promise.changed', at, account, subscriber, {
    active: subscriber.promise !== null,
    amount: subscriber.promise && formatRubles(subscriber.promise.limit),
    promise_date_end: subscriber.promise?.until ?? null,
  })

/** What changed of one subscriber; of a newer frame of the same type an older one is superseded. */
const subscriberNotice = (
  type: 'block.changed' | 'promise.changed',
  at: Date,
  account: Account,
  { id, organizationId }: Subscriber,
  fields: FrameFields,
): Notice => ({
  type,
  at,
  topics: [type === 'block.changed' ? 'blocks' : 'finance', abonentTopic(id)],
  audience: organizationId,
  replaces: `${type}:${id}`,
  fields: { abonent_id: id, account_id: account.id, organization_id: organizationId, ...fields },
})

export const accountFields = (account: Account): FrameFields => ({
  account_id: account.id,
  balance: formatRubles(account.balance),
  limit: formatRubles(account.limit),
  unlimited: account.unlimited,
  unlimited_date: account.unlimitedUntil,
})

export const accessFields = (subscriber: Subscriber): FrameFields => ({
  enabled: subscriber.enabled,
  deleted: subscriber.deleted,
  b_negbal: subscriber.blocks.debt,
  b_admin: subscriber.blocks.operator,
  b_own: subscriber.blocks.client,
  b_sys: subscriber.blocks.system,
  reasons: blockReasons.filter((reason) => subscriber.blocks[reason]),
  logins: subscriber.logins.map(({ name }) => name),
})
