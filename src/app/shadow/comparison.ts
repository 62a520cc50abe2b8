import { codes } from '../../network/radius/wire/packet.ts'
import type { DropFault } from '../../network/radius/worker/counters.ts'
import type { Exchange, Told } from './exchange.ts'
import type { Answer, Judgement } from './judge.ts'
import { attributeDifferences, attributesOf, type PoolOf } from './reply-attributes.ts'

/** The kinds of differences, in the order of their weight. */
export const differenceKinds = {
  rejected_here: 'accepted there, rejected here',
  silent_here: 'answered there, no answer here',
  other_secret: 'the NAS has another secret here',
  garden_here: 'accepted there, walled garden here',
  accepted_here: 'rejected there, accepted here',
  attribute: 'accepted by both, with another',
} as const
export type DifferenceKind = keyof typeof differenceKinds

/** A difference between two answers. `detail` says more than its kind: the code of a reason, or an attribute's name. */
export type Difference = {
  readonly kind: DifferenceKind
  readonly detail: string
  readonly there: string
  readonly here: string
}

/** Why an exchange is not compared. */
export const notCompared = {
  unknownNas: 'requests of NAS that are not known here, or switched off',
  unanswered: 'requests that were not answered there, as far as the source tells',
  eap: 'requests of an EAP conversation that was going on; Tollgate offers no EAP and would reject them',
  challenge: 'requests that were answered by a challenge',
  password: 'rejected there, perhaps for the password, which the file does not tell; accepted here if it was right',
} as const
export type NotCompared = keyof typeof notCompared

export type Comparison = { readonly left: NotCompared } | { readonly differences: readonly Difference[] }

const replyMessage = 'Reply-Message'

/** Compares what was said there with what would be said here. */
export function compare({ reply }: Exchange, judgement: Judgement, poolOf: PoolOf): Comparison {
  const { answer, isEap, isPasswordSeen, hasSameSecret } = judgement
  if (answer === null) return { left: 'unknownNas' }
  if (reply === null) return { left: 'unanswered' }
  const code = codeOf(reply)
  if (code === codes.accessChallenge) return { left: isEap ? 'eap' : 'challenge' }
  const isAccept = code === codes.accessAccept
  if (isEap && !isAccept) return { left: 'eap' }
  const there = wordsOf(reply, isAccept)
  const one = (kind: DifferenceKind, detail: string, here: string): Comparison => ({
    differences: [{ kind, detail, there, here }],
  })
  if (answer.kind === 'silent') return one('silent_here', answer.fault, silences[answer.fault] ?? answer.fault)
  if (hasSameSecret === false)
    return one(
      'other_secret',
      judgement.nas ?? '',
      'the NAS would drop the answer, which is signed with another secret',
    )
  if (!isAccept) {
    if (answer.kind === 'reject') return { differences: [] }
    return isPasswordSeen ? one('accepted_here', '', 'Access-Accept') : { left: 'password' }
  }
  if (answer.kind === 'reject') return one('rejected_here', answer.code, `Access-Reject, ${answer.reason}`)
  if (answer.garden !== null) return one('garden_here', '', `Access-Accept, ${answer.garden}`)
  return { differences: differingAttributes(reply, answer, poolOf) }
}

function differingAttributes(reply: Told, answer: Answer & { kind: 'accept' }, poolOf: PoolOf): Difference[] {
  const list = attributeDifferences(attributesOf(reply), answer.attributes, poolOf)
  return list.map(({ name, there, here }) => ({
    kind: 'attribute',
    detail: name,
    there: there ?? 'none',
    here: here ?? 'none',
  }))
}

const codeOf = (reply: Told): number => (reply.kind === 'packet' ? reply.packet.code : reply.code)

function wordsOf(reply: Told, isAccept: boolean): string {
  if (isAccept) return 'Access-Accept'
  const messages = attributesOf(reply).flatMap(({ name, value }) => (name === replyMessage ? [value] : []))
  return ['Access-Reject', ...messages].join(', ')
}

/** Why Tollgate would not answer at all. */
const silences: Partial<Record<DropFault, string>> = {
  badMessageAuthenticator: 'no answer: the request is signed with another secret than that of the NAS here',
  missingMessageAuthenticator: 'no answer: the request is not signed, and this NAS must sign',
  unsignedProxyState: 'no answer: the request came through a proxy and is not signed',
}
