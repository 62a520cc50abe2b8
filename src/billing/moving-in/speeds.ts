import type { ReplyLine, Speed } from './records.ts'

/** How each of these attributes gives speeds. What it says more, such as bursts, needs the attribute itself. */
type Reading = { readonly up?: number; readonly down?: number }

const kbit = { '': 0.001, k: 1, M: 1000, G: 1_000_000 } as const
const rate = String.raw`(\d+)([kMG]?)`
const rateLimit = new RegExp(`^${rate}(?:/${rate})?$`)

const readings: Readonly<Record<string, (value: string) => Reading | null>> = {
  // What the router receives, which the client sends, comes first; one rate is for both.
  'mikrotik-rate-limit': (value) => {
    const [, up, upUnit, down, downUnit] = rateLimit.exec(value.trim()) ?? []
    if (up === undefined) return null
    const first = Number(up) * kbit[upUnit as keyof typeof kbit]
    return { up: first, down: down === undefined ? first : Number(down) * kbit[downUnit as keyof typeof kbit] }
  },
  'wispr-bandwidth-max-up': (value) => bits(value, 'up'),
  'wispr-bandwidth-max-down': (value) => bits(value, 'down'),
  'huawei-input-average-rate': (value) => bits(value, 'up'),
  'huawei-output-average-rate': (value) => bits(value, 'down'),
}

const bits = (value: string, way: 'up' | 'down'): Reading | null =>
  /^\d+$/.test(value) ? { [way]: Number(value) / 1000 } : null

/** A terabit. */
export const speedMbitMax = 1_000_000

/** Whether a tariff may have it: it has its speed in Mbit/s with three places. */
export const isTariffSpeed = (kbit: number): boolean => kbit >= 1 && kbit <= speedMbitMax * 1000

/** Whether an attribute tells a speed and nothing more. */
export const givesSpeed = ({ name, value }: ReplyLine): boolean =>
  (readings[name.toLowerCase()]?.(String(value)) ?? null) !== null

/** The speed that reply attributes give, as far as one is known from them; null: none, or only one direction. */
export function speedOf(reply: readonly ReplyLine[]): Speed | null {
  const found: { up?: number; down?: number } = {}
  for (const { name, value } of reply) Object.assign(found, readings[name.toLowerCase()]?.(String(value)) ?? {})
  const { up, down } = found
  return up !== undefined &&
    down !== undefined &&
    [up, down].every((one) => isTariffSpeed(one) && Number.isInteger(one))
    ? { downKbit: down, upKbit: up }
    : null
}
