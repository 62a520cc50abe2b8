import type { NasType } from '../../../domain/nas.ts'
import type { ReplyLine, Speed } from '../records.ts'
import { speedOf } from '../speeds.ts'

/** Whose attributes a reply has tells for which NAS it is made. */
const prefixes = {
  mikrotik: 'mikrotik-',
  huawei: 'huawei-',
  juniper: 'erx-',
  cisco: 'cisco-',
} as const satisfies { readonly [type in NasType]?: string }

const named: Readonly<Record<string, NasType>> = {
  ...{
    mikrotik: 'mikrotik',
    cisco: 'cisco',
    huawei: 'huawei',
    juniper: 'juniper',
    accel: 'accel',
    'accel-ppp': 'accel',
  },
}

/** The type of NAS that FreeRADIUS calls `other`: whose attributes most replies have. */
export function usualType(lines: Iterable<ReplyLine>): NasType {
  const counts = new Map<NasType, number>()
  for (const { name } of lines) {
    const [type] = Object.entries(prefixes).find(([, prefix]) => name.toLowerCase().startsWith(prefix)) ?? []
    if (type !== undefined) counts.set(type as NasType, (counts.get(type as NasType) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'generic'
}

export const typeOf = (name: string | null, usual: NasType): NasType => named[name?.toLowerCase() ?? ''] ?? usual

/** The attributes by which a NAS of the type is told its speed (network/radius/templates.ts). */
const speedAttributes: { readonly [type in NasType]?: readonly string[] } = {
  mikrotik: ['mikrotik-rate-limit'],
  huawei: ['huawei-input-average-rate', 'huawei-output-average-rate'],
  generic: ['wispr-bandwidth-max-up', 'wispr-bandwidth-max-down'],
}

/**
 * The speed of a tariff, and what is left of its reply. The attributes of the speed are left out where every NAS is of
 * a type that is told the same by them.
 */
export function splitSpeed(
  reply: readonly ReplyLine[],
  types: ReadonlySet<NasType>,
): { readonly speed: Speed | null; readonly reply: readonly ReplyLine[] } {
  const speed = speedOf(reply)
  const [type, ...others] = types
  const own = type === undefined || others.length > 0 ? [] : (speedAttributes[type] ?? [])
  if (speed === null) return { speed, reply }
  return { speed, reply: reply.filter(({ name }) => !own.includes(name.toLowerCase())) }
}
