import { encodeAttribute } from './attribute-encoding.ts'
import type { AttributeFault } from './attribute-fault.ts'
import { type AttributeKey, isOfTunnel } from './attribute-key.ts'
import type { KnownAttribute } from './dictionary/entry.ts'

/** A line with its attribute looked up, so that a worker needs no dictionary. */
export type CompiledLine = { attribute: KnownAttribute; tag: number | null; key: AttributeKey; value: string }
/**
 * What the places of a line stand for. Speeds are in kbit/s as the subscriber sees them, 0 for no limit; 0 is no VLAN
 * either.
 */
export type PlaceValues = { downKbit: number; upKbit: number; vlan: number; list: string }

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

export const placeNames: readonly string[] = [...Object.keys(speeds), 'vlan', 'list']

/** A place in a value. */
export const place = /\{([^{}]*)\}/g

/** Whether the line has this place. */
export const hasPlace = ({ value }: CompiledLine, name: string): boolean => value.includes(`{${name}}`)

/**
 * The attributes of the lines for these values, without the lines that have a place which stands for nothing.
 * Attributes of one tag describe one tunnel (RFC 2868 section 3), so where one of them is left out all are.
 */
export function renderLines(
  lines: readonly CompiledLine[],
  values: PlaceValues,
): { key: AttributeKey; bytes: Uint8Array }[] {
  const rendered = lines.map((line) => ({ line, bytes: renderLine(line, values) }))
  const halfTunnels = new Set(rendered.flatMap(({ line, bytes }) => (isAttribute(bytes) ? [] : tunnelOf(line))))
  return rendered.flatMap(({ line, bytes }) =>
    isAttribute(bytes) && !tunnelOf(line).some((tag) => halfTunnels.has(tag)) ? [{ key: line.key, bytes }] : [],
  )
}

/** Lines were tried when the template was saved; one that does not fit a speed after all is left out. */
const isAttribute = (rendered: ReturnType<typeof renderLine>): rendered is Buffer =>
  rendered !== null && !('fault' in rendered)

/** Without the tunnels that `others` describe too: an answer that has two of one tag says neither. */
export function withoutTunnelsOf(lines: readonly CompiledLine[], others: readonly CompiledLine[]): CompiledLine[] {
  const tags = new Set(others.flatMap(tunnelOf))
  return lines.filter((line) => !tunnelOf(line).some((tag) => tags.has(tag)))
}

/** The tag of the tunnel that the line is about; empty for any other attribute. */
const tunnelOf = ({ key, tag }: CompiledLine): readonly number[] => (isOfTunnel(key) ? [tag ?? 0] : [])

/** The attribute of a line; null where it has a place that stands for nothing: no speed limit, no VLAN, no list. */
export function renderLine(line: CompiledLine, values: PlaceValues): Buffer | AttributeFault | null {
  // Without an upload speed both directions have the same one, and the other way round.
  const down = values.downKbit || values.upKbit
  const up = values.upKbit || values.downKbit
  let isMissing = false
  const text = line.value.replaceAll(place, (_, name: string) => {
    const speed = speeds[name]
    const value = speed ? speed(down, up) : name === 'vlan' ? values.vlan : values.list
    if (value === '' || value === 0 || (speed && down <= 0)) isMissing = true
    return String(value)
  })
  if (isMissing) return null
  // A speed beyond 32 bits is as good as none; the attribute holds no more.
  const isInteger = line.attribute.kind === 'integer' && Number(text) > integerMax && line.value !== text
  const encoded = encodeAttribute(line.attribute, line.tag, isInteger ? integerMax : text)
  return 'fault' in encoded ? encoded : encoded.bytes
}
