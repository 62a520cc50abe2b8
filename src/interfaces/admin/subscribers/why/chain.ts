import { inDebt, isAsleep } from '../../../../domain/account.ts'
import { blockReasons, isBlocked } from '../../../../domain/block.ts'
import type { Language } from '../../../../domain/language.ts'
import { amountText, asSentence, momentText } from '../../../../domain/wording.ts'
import { errorCauses } from '../../../../network/radius/wire/attribute-types.ts'
import type { Facts } from './facts.ts'
import { isHeard, nasOf, type Verdict } from './verdict.ts'
import { chainWords, verdictWords } from './words.ts'

/** One link; `ok` null: nothing is known that would be right or wrong. */
export type Link = {
  readonly code: 'subscriber' | 'account' | 'blocks' | 'login' | 'nas' | 'request' | 'session' | 'disconnect'
  readonly ok: boolean | null
  readonly text: string
  readonly at: Date | null
  readonly by: string | null
  /** Where it is mended, a page of the web admin. */
  readonly link: string | null
}

type Writer = (facts: Facts, language: Language, verdict: Verdict) => Link

/** From the subscriber to the last thing that was done to him, in the order in which an operator looks. */
export const chainOf = (facts: Facts, verdict: Verdict, language: Language): Link[] =>
  [subscriber, account, blocks, login, nas, request, session, disconnect].map((link) => link(facts, language, verdict))

export function verdictText(facts: Facts, { code }: Verdict, language: Language): string {
  const { account: of, login: seen, near, unknownSources, zone } = facts
  const heard = nasOf(facts)
  const words = chainWords[language].nas
  if (code === 'nas_unknown' && isHeard(facts)) return `${words.missing}.`
  return verdictWords[language][code]({
    login: seen?.name ?? '',
    nas: heard?.nas.name ?? (code === 'online' ? '' : words.all),
    asked: (code === 'unknown_login_seen' ? near?.login : unknownSources[0]?.address) ?? '',
    until: of.sleepUntil ? momentText(of.sleepUntil, zone) : '',
  })
}

const card = ({ subscriber: { id } }: Facts, tab: string): string => `/admin/subscribers/${id}/${tab}/`
const listOf = ({ subscriber: { id } }: Facts, list: string): string => `/admin/network/${list}/?abonent=${id}`
const untold = { at: null, by: null, link: null }

const subscriber: Writer = (facts, language) => {
  const { deleted, enabled, blocks: of } = facts.subscriber
  const words = chainWords[language].subscriber
  // One who is blocked is switched off by that, which the link of the blocks says.
  const isOn = enabled || isBlocked(of)
  const text = deleted ? words.deleted : isOn ? words.on : words.off
  return { ...untold, code: 'subscriber', ok: !deleted && isOn, text, link: card(facts, 'overview') }
}

const account: Writer = (facts, language) => {
  const { account: of, now, zone } = facts
  const words = chainWords[language]
  const sleeps = isAsleep(of, now)
  const money = words.account(amountText(of.balance, language), amountText(of.limit, language))
  const text = sleeps ? words.asleep(momentText(of.sleepUntil!, zone)) : money
  return { ...untold, code: 'account', ok: !sleeps && !inDebt(of, now), text, link: card(facts, 'money') }
}

const blocks: Writer = (facts, language) => {
  const { subscriber: of, blocked } = facts
  const words = chainWords[language]
  const given = blockReasons.filter((reason) => of.blocks[reason])
  if (given.length === 0) return { ...untold, code: 'blocks', ok: true, text: words.notBlocked }
  const text = asSentence(given.map((reason) => words.blocked[reason]).join(', '))
  return { code: 'blocks', ok: false, text, at: blocked?.at ?? null, by: blocked?.by ?? null, link: card(facts, 'log') }
}

const login: Writer = (facts, language) => {
  const words = chainWords[language].login
  const link = card(facts, 'connection')
  const { login: seen } = facts
  if (seen === null) return { ...untold, code: 'login', ok: false, text: words.none, link }
  const isOn = !seen.disabledByHand
  return { ...untold, code: 'login', ok: isOn, text: (isOn ? words.on : words.off)(seen.name), link }
}

const nas: Writer = (facts, language, { code }) => {
  const words = chainWords[language].nas
  const report = nasOf(facts)
  const link = '/admin/network/nas/'
  if (report?.nas.enabled) {
    const { state, lastPacketAt, nas: of } = report
    const text = words[state](of.name)
    return { code: 'nas', ok: state === 'ok', text, at: lastPacketAt, by: null, link: `${link}${of.id}/` }
  }
  if (isHeard(facts)) return { ...untold, code: 'nas', ok: false, text: words.missing, link }
  const [stranger] = facts.unknownSources
  // Whose requests they are is not known, so they are told only where nothing else explains it.
  if (!stranger || code !== 'nas_unknown') return { ...untold, code: 'nas', ok: null, text: words.unheard, link }
  const at = new Date(stranger.lastAtMs)
  return { ...untold, code: 'nas', ok: false, text: words.stranger(stranger.address), at, link }
}

const request: Writer = (facts, language) => {
  const words = chainWords[language]
  const { answered, near } = facts
  if (near !== null && (answered === null || near.at > answered.at)) {
    const text = words.request.unknown(near.login ?? '')
    const link = `/admin/network/log/?login=${encodeURIComponent(near.login ?? '')}`
    return { code: 'request', ok: false, text, at: near.at, by: near.mac, link }
  }
  const link = listOf(facts, 'log')
  if (answered === null) return { ...untold, code: 'request', ok: null, text: words.request.none, link }
  const { accepted, reason, at, mac } = answered
  const why = words.reasons[reason as keyof typeof words.reasons] ?? reason
  // Only refusals are kept for long: the request of the session that is there was accepted after this one.
  const isOver = !accepted && facts.session !== null && at <= facts.session.startedAt
  const text = accepted ? words.request.accepted : words.request[isOver ? 'rejectedBefore' : 'rejected'](why)
  return { code: 'request', ok: isOver ? null : accepted, text, at, by: mac, link }
}

const session: Writer = (facts, language) => {
  const words = chainWords[language].session
  const { session: live, ended } = facts
  const link = listOf(facts, 'sessions')
  if (live !== null) {
    const text = words.live(live.userLogin, live.ip ?? '', nasOf(facts)?.nas.name ?? '')
    return { code: 'session', ok: true, text, at: live.startedAt, by: live.mac, link }
  }
  if (ended === null) return { ...untold, code: 'session', ok: null, text: words.none, link }
  return { ...untold, code: 'session', ok: false, text: words.ended(ended.reason ?? ''), at: ended.at, link }
}

const disconnect: Writer = (facts, language) => {
  const words = chainWords[language].coa
  const link = listOf(facts, 'coa')
  const { coa } = facts
  if (coa === null) return { ...untold, code: 'disconnect', ok: null, text: words.none, link }
  const { at, request: kind, result, errorCause } = coa
  const hadNone = result === 'nak' && errorCause === errorCauses.sessionContextNotFound
  const refused = hadNone ? words.noSession : words.nak(String(errorCause ?? ''))
  const outcome = result === 'nak' ? refused : words[result ?? 'waiting']
  const of = facts.nas.find((one) => one.nas.id === coa.nasId)
  return {
    code: 'disconnect',
    ok: result === null || hadNone ? null : result === 'ack',
    text: `${words[kind]}: ${outcome}`,
    at,
    by: hadNone ? null : (of?.nas.name ?? null),
    link,
  }
}
