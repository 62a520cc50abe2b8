import { encodeAttribute } from './attribute-encoding.ts'
import type { AttributeKey } from './attribute-key.ts'
import type { KnownAttribute } from './dictionary/entry.ts'

/** A line with its attribute looked up, so that a worker needs no dictionary. */
export type CompiledLine = { attribute: KnownAttribute; tag: number | null; key: AttributeKey; value: string }
/** What the places of a line stand for. Speeds are in kbit/s as the subscriber sees them, 0 for no limit. */
export type PlaceValues = { downKbit: number; upKbit: number; list: string }

const integerMax = 0xffff_ffff
/** Committed access rate: bursts of 1.5 seconds' worth of bytes, as Cisco advises. */
const burst = (kbit: number) => Math.ceil((kbit * 1000 * 1.5) / 8)
/** As RouterOS writes a rate. */
const rate = (kbit: number) => (kbit % 1000 === 0 ? `${kbit / 1000}M` : `${kbit}k`)

const speeds: Readonly<Record<string, (down: number, up: number) => string | number>> = {
  down_kbit: (down) => down,
  up_kbit: (_, up) => up,
  down_bit: (down) => down * 1000,
  up_bit: (_, up) => up * 1000,
  down_rate: (down) => rate(down),
  up_rate: (_, up) => rate(up),
  down_burst: (down) => burst(down),
  up_burst: (_, up) => burst(up),
  down_burst_max: (down) => burst(down) * 2,
  up_burst_max: (_, up) => burst(up) * 2,
  burst: (down, up) => burst(Math.max(down, up)),
}

export const placeNames: readonly string[] = [...Object.keys(speeds), 'list']

/** A place in a value. */
export const place = /\{([^{}]*)\}/g
/** The attribute of a line; null where it has a place that stands for nothing, a speed without limit or no list. */
export function renderLine(line: CompiledLine, values: PlaceValues): Buffer | { fault: string } | null {
  // Without an upload speed both directions have the same one, and the other way round.
  const down = values.downKbit || values.upKbit
  const up = values.upKbit || values.downKbit
  let isMissing = false
  const text = line.value.replaceAll(place, (_, name: string) => {
    const value = name === 'list' ? values.list : (speeds[name]?.(down, up) ?? '')
    if (value === '' || value === 0 || (name !== 'list' && down <= 0)) isMissing = true
    return String(value)
  })
  if (isMissing) return null
  // A speed beyond 32 bits is as good as none; the attribute holds no more.
  const isInteger = line.attribute.kind === 'integer' && Number(text) > integerMax && line.value !== text
  const encoded = encodeAttribute(line.attribute, line.tag, isInteger ? integerMax : text)
  return 'fault' in encoded ? encoded : encoded.bytes
}
