import type { Run } from '../../../../billing/runs/run-table.ts'
import { blockStep, promiseStep, tariffStep } from '../../../../billing/runs/steps.ts'
import { type SubscriberStep, subscribersRun } from '../../../../billing/runs/subscribers-run.ts'
import { readId } from '../../../../domain/ids.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import { missingRight } from '../../../../domain/staff-user.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { authorOf } from '../../../../platform/staff/author.ts'
import { notFoundReply } from '../../../../platform/staff/visible-records.ts'
import { idempotencyHeader, keysOf } from '../../accounts/money-request.ts'
import { refused } from '../../body.ts'
import { answers, post } from '../../doors.ts'
import { startedReply } from '../../runs/routes.ts'
import { runSchema, runsOf } from '../../runs/shapes.ts'
import { nextMonthBegins } from '../tariff/preview.ts'
import { askedOfFilter } from './confirmed.ts'
import { findMeant } from './meant.ts'
import type { TariffManyParts } from './tariffs.ts'

/** What a bulk action has left undone, because it was cut off. */
export const restRoutes = (parts: TariffManyParts): Route[] => [
  post('/admin/runs/:id/rest', doc, (call) => start(parts, call)),
]

/** Another run of the same order, for exactly those whom the first has left. */
async function start(parts: TariffManyParts, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  const cut = id === null ? null : await parts.runs.table.find(id, runsOf(call))
  if (!cut) return notFoundReply()
  if (cut.kind === 'promises' && missingRight(call.staff, recordRights.promise.create) !== null)
    return refused(403, 'forbidden', 'Promise payments need the right money.')
  const key = keysOf(call, { run: cut.id })
  if ('refused' in key) return key.refused
  const step = cut.rest ? stepOf(parts, cut) : null
  if (step === null)
    return refused(409, 'nothing_left', 'This run was not cut off, or it has left nothing that can be done.')
  const subscribers = await findMeant(parts, call, { ids: undefined, filter: undefined, restOf: cut.id })
  const author = authorOf(call)
  const asked = Object.fromEntries(Object.entries(cut.asked).filter(([name]) => !askedOfFilter.includes(name)))
  const order = { kind: cut.kind, author, asked: { ...asked, rest_of: cut.id }, keys: key.keys }
  const started = await parts.runs.start(order, subscribersRun({ subscribers, author, restOf: cut.id }, step))
  return startedReply(parts, call, started, 'run')
}

/** Null: it cannot be repeated, as a tariff that was to begin on a day that has passed. */
function stepOf(parts: TariffManyParts, { kind, asked }: Run): SubscriberStep | null {
  const { on, tarif, from } = asked as {
    readonly on?: boolean
    readonly tarif?: { readonly id: number }
    readonly from?: string | null
  }
  if (kind === 'blocks' && on !== undefined) return blockStep(parts.subscribers, on)
  if (kind === 'promises') return promiseStep(parts.subscribers)
  if (kind !== 'tariffs' || !tarif) return null
  const coming = nextMonthBegins(parts)
  if (from && from !== coming.day) return null
  return tariffStep(parts.subscribers, { tariffId: tarif.id, from: from ? coming.at : null })
}

const doc = {
  tag: 'Runs',
  summary: 'Do the rest of a run that was cut off',
  description:
    'A new run does exactly what the other has left (`rest`), for those whom you see. That of an import: `POST /admin/imports/{id}/rest/`.',
  headers: idempotencyHeader,
  answers: answers(
    'It has begun',
    { run: runSchema },
    {
      403: 'It takes a right that you do not have',
      404: 'There is no such run, or it is of somebody else',
      409: 'It has left nothing that can be done (`nothing_left`), or the key was used for another order',
    },
  ),
} as const satisfies RouteDoc
