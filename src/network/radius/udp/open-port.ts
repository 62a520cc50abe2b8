import { loadAddon } from './addon.ts'
import { openBatchPort } from './batch-port.ts'
import { openDgramPort } from './dgram-port.ts'
import type { UdpOrder, UdpPort } from './udp-port.ts'

/** `auto`: in batches where the addon is compiled. */
export type UdpWish = 'auto' | 'dgram'
/** How datagrams are received, and why not in batches when they are not. */
export type UdpWay = { kind: 'batches' } | { kind: 'dgram'; reason: string }

export type UdpOpener = { way: UdpWay; open: (order: UdpOrder) => Promise<UdpPort> }

export function udpOpener(wish: UdpWish): UdpOpener {
  if (wish === 'dgram') return { way: { kind: 'dgram', reason: 'TOLLGATE_RADIUS_UDP=dgram' }, open: openDgramPort }
  const loaded = loadAddon()
  if ('missing' in loaded) return { way: { kind: 'dgram', reason: loaded.missing }, open: openDgramPort }
  return { way: { kind: 'batches' }, open: async (order) => openBatchPort(loaded.addon, order) }
}
