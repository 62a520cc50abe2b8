import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import { parseJson, stringifyJson } from '../formats/json.ts'
import type { Diff } from '../storage/audit.ts'
import type { Current, Values } from './values.ts'
import type { Model } from './model.ts'

/** The values of a record that PostgreSQL wrote as JSON. */
export function recordValues(text: string): Record<string, unknown> {
  const parsed = parseJson(Buffer.from(text))
  if (parsed.kind === 'refused') throw new Error(`PostgreSQL wrote a record that is not JSON: ${parsed.detail}`)
  return parsed.value as Record<string, unknown>
}

/** What differs, by outside name. Of a secret only that it was set. */
export function diffOf(model: Model, before: Current, after: Current, values?: Values): Diff {
  const diff: Diff = {}
  for (const { name, kind, access, audited = true } of model.fields) {
    if (access === 'instruction' || !audited) continue
    if (access === 'writeOnly') {
      if (values?.has(name)) diff[name] = [before ? '***' : null, '***']
      continue
    }
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null]
    if (stringifyJson(was) === stringifyJson(is)) continue
    diff[name] = kind === 'money' ? [rubles(was), rubles(is)] : [was, is]
  }
  return diff
}

const rubles = (units: unknown): string | null =>
  units === null ? null : formatRubles(moneyFromUnits(units as bigint))
