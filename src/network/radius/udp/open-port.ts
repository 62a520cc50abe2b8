import { loadAddon } from './addon.ts'
import { BatchPort } from './batch-port.ts'
import { openDgramPort } from './dgram-port.ts'
import type { UdpOptions, UdpPort } from './udp-port.ts'

/** `auto` receives in batches where the addon is compiled. */
export type UdpPreference = 'auto' | 'dgram'
/** How datagrams are received; where that is not in batches, with the reason. */
export type UdpMode = { kind: 'batches' } | { kind: 'dgram'; reason: string }

export type UdpOpener = { mode: UdpMode; open: (order: UdpOptions) => Promise<UdpPort> }

const byDgram = (order: UdpOptions) => openDgramPort(order)

export function udpOpener(preference: UdpPreference): UdpOpener {
  if (preference === 'dgram') return { mode: { kind: 'dgram', reason: 'TOLLGATE_RADIUS_UDP=dgram' }, open: byDgram }
  const loaded = loadAddon()
  if ('missing' in loaded) return { mode: { kind: 'dgram', reason: loaded.missing }, open: byDgram }
  return { mode: { kind: 'batches' }, open: async (order) => new BatchPort(loaded.addon, order) }
}
