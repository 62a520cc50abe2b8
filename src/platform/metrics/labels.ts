import { flows } from './flows.ts'

/**
 * Label values are unions. The four that cannot be (NAS name, route, fault, job) are cut off after `labelValuesMax`.
 */
export const labelValues = {
  port: ['auth', 'acct'],
  result: ['accept', 'reject', 'accounting', 'status', 'repeated', 'dropped'],
  record: ['start', 'interim', 'stop', 'on', 'off'],
  fate: ['stored', 'spooled', 'drained', 'unsaved', 'refused'],
  left_out: ['flooded', 'lost'],
  kind: ['account', 'subscriber'],
  outcome: ['ok', 'failed'],
  commit: ['committed', 'known', 'stale', 'locked', 'accountMissing', 'failed'],
  request: ['disconnect', 'coa'],
  answer: ['ack', 'nak', 'no_answer'],
  health: ['ok', 'silent', 'never', 'wrong_secret'],
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
  webhook: ['delivered', 'postponed', 'given_up'],
  endpoint: ['on', 'off', 'gone', 'failing'],
  entrance: ['admin', 'soap', 'portal', 'phone', 'password', 'system'],
  attempt: ['right', 'wrong', 'throttled'],
  door: ['admin', 'mobile'],
  frames: ['sent', 'replaced', 'dropped'],
  cut: ['slow', 'noise', 'tooMany'],
  state: ['used', 'idle'],
  stage: ['waiting', 'sent', 'refused'],
  refund: ['asked', 'sent', 'failed'],
  call: ['token', 'send', 'report'],
  finding: ['warn', 'fail'],
  reply: ['accepted', 'done', 'waiting', 'refused', 'failed', 'unauthorized', 'unknown'],
} as const satisfies Record<string, readonly string[]>

export const labelValuesMax = { nas: 500, route: 300, fault: 60, job: 60 } as const

type LabelSet = typeof labelValues
export type Value<Name extends keyof LabelSet> = LabelSet[Name][number]
export type LabelName = keyof LabelSet | keyof typeof labelValuesMax

/** The labels of one series. */
export type Labels<Name extends string = string> = Readonly<Record<Name, string>>

/** Values that stand for the absence of a NAS, a fault or a route; they are never cut off. */
const absent: readonly string[] = ['none', 'unknown']

/**
 * Replaces values that would multiply the series of a metric without bound by `other`: those that are not declared, and
 * of a label without declared values those beyond the first `labelValuesMax`.
 */
export function labelBound(): <Label extends LabelName>(labels: Labels<Label>) => Labels<Label> {
  const seen = new Map(Object.keys(labelValuesMax).map((name) => [name, new Set<string>()]))
  const bounded = (name: LabelName, value: string): string => {
    if (isDeclared(name)) return (labelValues[name] as readonly string[]).includes(value) ? value : 'other'
    const values = seen.get(name)!
    if (values.size < labelValuesMax[name]) values.add(value)
    return values.has(value) || absent.includes(value) ? value : 'other'
  }
  return (labels) => {
    const result: Record<string, string> = {}
    for (const name in labels) result[name] = bounded(name, labels[name])
    return result as typeof labels
  }
}

const isDeclared = (name: LabelName): name is keyof LabelSet => Object.hasOwn(labelValues, name)

/** The values of the series of one label: one for each declared value. */
export const byLabel = <Name extends keyof LabelSet>(name: Name, counts: { readonly [V in Value<Name>]?: number }) =>
  labelValues[name].map((value) => [{ [name]: value } as Labels<Name>, counts[value as Value<Name>] ?? 0] as const)

/** The label `outcome`. */
export const outcomeOf = (ok: boolean): Value<'outcome'> => (ok ? 'ok' : 'failed')
