import { flows } from './flows.ts'

/**
 * Label values are unions. The four that cannot be (NAS name, route, fault, job) are cut off after `labelValuesMax`.
 */
export const labelValues = {
  port: ['auth', 'acct'],
  result: ['accept', 'reject', 'accounting', 'status', 'repeated', 'dropped'],
  record: ['start', 'interim', 'stop', 'on', 'off'],
  fate: ['stored', 'spooled', 'drained', 'unsaved', 'refused', 'ignored'],
  kind: ['account', 'subscriber'],
  outcome: ['ok', 'failed'],
  commit: ['committed', 'known', 'stale', 'locked', 'accountMissing', 'failed'],
  request: ['disconnect', 'coa'],
  answer: ['ack', 'nak', 'no_answer'],
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'],
  status: [
    ...['101', '200', '201', '202', '204', '302', '304', '400', '401', '403', '404', '405', '409', '413', '415', '429'],
    ...['500', '502', '503', '504', 'aborted'],
  ],
  gateway: ['gwa', 'gwb'],
  payment: [
    ...['credited', 'repeated', 'reconciled', 'forged', 'malformed', 'wrongShop', 'unknownOrder', 'unknownSubscriber'],
    ...['wrongAmount', 'doubled', 'notConfirmed', 'notPosted', 'orphaned', 'unavailable'],
  ],
  flow: flows,
  block: ['negbal', 'admin', 'own', 'sys'],
  channel: ['push', 'sms', 'email', 'none'],
  delivery: ['sent', 'refused', 'postponed', 'expired'],
  door: ['admin', 'mobile'],
  frames: ['sent', 'replaced', 'dropped'],
  cut: ['slow', 'noise', 'signedOut', 'tooMany'],
  state: ['used', 'idle'],
  stage: ['waiting', 'sent', 'refused'],
  call: ['token', 'send', 'report'],
  reply: ['accepted', 'done', 'waiting', 'refused', 'failed', 'unauthorized', 'unknown'],
} as const satisfies Record<string, readonly string[]>

export const labelValuesMax = { nas: 500, route: 300, fault: 60, job: 60 } as const

type LabelSet = typeof labelValues
export type Value<Name extends keyof LabelSet> = LabelSet[Name][number]

/** An undeclared value is counted as `other`, so that new values cannot multiply the series without bound. */
export const known = (name: keyof LabelSet, value: string): string =>
  (labelValues[name] as readonly string[]).includes(value) ? value : 'other'
