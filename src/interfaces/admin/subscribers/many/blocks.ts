import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import type { SubscriberActors } from '../../../../billing/accounts/subscribers.ts'
import { blockStep } from '../../../../billing/runs/steps.ts'
import type { Session } from '../../../../domain/events.ts'
import { type SubscriberId, subscriberId } from '../../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { flag } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { post } from '../../doors.ts'
import { preferHeader, countedAnswers, type Progress } from '../../countings.ts'
import {
  lookAtMeant,
  type ManyParts,
  type Meant,
  meantIds,
  orderBodyOf,
  previewMembers,
  readOrder,
  refusedOrder,
  startDoc,
  startMany,
  Tally,
} from './meant.ts'

export type BlockManyParts = ManyParts & {
  readonly subscribers: Pick<SubscriberActors, 'ask' | 'status'>
  readonly sessions: { ofSubscriber(id: SubscriberId): Iterable<Session> }
}

/** The operator's block for many subscribers at once: marked ones, or all that a list finds. */
export const blockManyRoutes = (parts: BlockManyParts): Route[] => [
  post(
    '/admin/Abonents/block_many/preview',
    docs.preview,
    (call) => parts.countings.answer(call, (progress) => preview(parts, call, progress)),
    { allowedReadOnly: true },
  ),
  post('/admin/Abonents/block_many', docs.start, (call) => start(parts, call)),
]

/** So many subscribers are looked for among the live sessions in about a millisecond. */
const lookedAtOnce = 2_000

async function preview(parts: BlockManyParts, call: Call, progress: Progress): Promise<Reply> {
  const order = await readOrder(parts, call, fields)
  if ('refused' in order) return order.refused
  const { on } = order.own
  const tally = new Tally()
  let [online, stay] = [0, 0]
  const total = await lookAtMeant<Blocked>(parts, { call, order, progress }, blockColumns, async (piece) => {
    const changing = piece.filter(({ is_blocked }) => is_blocked !== on)
    for (const one of changing) tally.change(one)
    if (!on) stay += changing.filter(({ has_other }) => has_other).length
    online += await countOnline(parts, changing)
  })
  const { changing, sample } = tally.counts
  const ids = await meantIds(parts, { call, order }, total)
  return json({ ok: true, total, ids, changing, same: total - changing, online, still_closed: stay, sample })
}

const blockColumns = [
  'coalesce(block.b_admin, false) AS is_blocked',
  'coalesce(block.b_negbal OR block.b_own OR block.b_sys, false) AS has_other',
]

type Blocked = Meant & {
  readonly is_blocked: boolean
  /** For another reason, which stays. */
  readonly has_other: boolean
}

/** Of a million subscribers it would hold up everything else, were it one turn of the loop. */
async function countOnline({ sessions }: BlockManyParts, subscribers: readonly Meant[]): Promise<number> {
  let online = 0
  for (const [at, { id }] of subscribers.entries()) {
    if (at % lookedAtOnce === lookedAtOnce - 1) await nextTurn()
    for (const _ of sessions.ofSubscriber(subscriberId(id))) {
      online++
      break
    }
  }
  return online
}

async function start(parts: BlockManyParts, call: Call): Promise<Reply> {
  const order = await readOrder(parts, call, fields)
  if ('refused' in order) return order.refused
  const { on } = order.own
  return startMany(parts, call, order, { kind: 'blocks', asked: { on } }, blockStep(parts.subscribers, on))
}

const fields = {
  on: Type.With(flag, { description: 'true: block; false: lift the block of the operator' }),
}
const orderBody = orderBodyOf(fields)

const docs = {
  preview: {
    tag: 'Subscribers',
    summary: 'Whom a block of many would change, before it is begun',
    headers: preferHeader,
    body: orderBody,
    isFormToo: false,
    answers: countedAnswers(
      'By the tables as they are now; nothing is written',
      {
        ...previewMembers,
        online: Type.Integer({ description: 'Of those who change; a block cuts their sessions' }),
        still_closed: Type.Integer({ description: 'Of those who are opened: closed for another reason' }),
      },
      refusedOrder,
    ),
  },
  start: startDoc('Block many subscribers, or open them', orderBody),
} as const satisfies Record<string, RouteDoc>
