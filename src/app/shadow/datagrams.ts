import { mappedIpv4 } from '../../network/radius/wire/address.ts'

/** A frame of a capture. `isWhole` false: the capture has only its beginning. */
export type Frame = { readonly atMs: number; readonly link: number; readonly bytes: Buffer; readonly isWhole: boolean }

export type Endpoint = { readonly address: Uint8Array; readonly port: number }

/** A UDP datagram. `fault` says why it is not complete; null: it is. */
export type Datagram = {
  readonly from: Endpoint
  readonly to: Endpoint
  readonly payload: Buffer
  readonly fault: 'fragmented' | 'cutShort' | null
}

const etherTypes = { ipv4: 0x0800, ipv6: 0x86dd } as const
/** IEEE 802.1Q, 802.1ad and what switches used before it: a tag, and behind it the type proper. */
const tags: ReadonlySet<number> = new Set([0x8100, 0x88a8, 0x9100])
const udp = 17
const udpHeaderBytes = 8
/** RFC 8200 section 4: options by hop, routing, options of the destination. */
const ipv6Options: ReadonlySet<number> = new Set([0, 43, 60])
const ipv6Fragment = 44

/**
 * Where the IP packet begins, by link type (tcpdump.org/linktypes.html), and where the type of what follows stands;
 * without one its version tells.
 */
const links: ReadonlyMap<number, { readonly at: number; readonly typeAt?: number }> = new Map([
  // Ethernet, and Linux "cooked" of both versions, as of the device `any`.
  [1, { at: 14, typeAt: 12 }],
  [113, { at: 16, typeAt: 14 }],
  [276, { at: 20, typeAt: 0 }],
  // IP alone, by its several numbers, and the loopback of BSD.
  [101, { at: 0 }],
  [12, { at: 0 }],
  [14, { at: 0 }],
  [228, { at: 0 }],
  [229, { at: 0 }],
  [0, { at: 4 }],
  [108, { at: 4 }],
])

export const isKnownLink = (link: number): boolean => links.has(link)

/** The UDP datagram of a frame; null when it has none, or not its beginning. */
export function datagramOf({ link, bytes, isWhole }: Frame): Datagram | null {
  const at = ipAt(link, bytes)
  if (at === null || at >= bytes.length) return null
  const version = bytes[at]! >> 4
  const ip = version === 4 ? ipv4At(bytes, at) : version === 6 ? ipv6At(bytes, at) : null
  if (ip === null || ip.at + udpHeaderBytes > bytes.length) return null
  const length = bytes.readUInt16BE(ip.at + 4)
  const end = ip.at + length
  const isCut = end > bytes.length && !isWhole
  if (length < udpHeaderBytes || (end > bytes.length && isWhole && !ip.isFragment)) return null
  return {
    from: { address: ip.from, port: bytes.readUInt16BE(ip.at) },
    to: { address: ip.to, port: bytes.readUInt16BE(ip.at + 2) },
    payload: bytes.subarray(ip.at + udpHeaderBytes, end),
    fault: ip.isFragment ? 'fragmented' : isCut ? 'cutShort' : null,
  }
}

function ipAt(link: number, bytes: Buffer): number | null {
  const form = links.get(link)
  if (!form || bytes.length < form.at) return null
  if (form.typeAt === undefined) return form.at
  let at = form.at
  let type = bytes.readUInt16BE(form.typeAt)
  for (; tags.has(type) && at + 4 <= bytes.length; at += 4) type = bytes.readUInt16BE(at + 2)
  return type === etherTypes.ipv4 || type === etherTypes.ipv6 ? at : null
}

/** What of an IP packet matters here; `at` is where its UDP header begins. */
type Ip = { readonly at: number; readonly from: Uint8Array; readonly to: Uint8Array; readonly isFragment: boolean }

/** RFC 791 section 3.1. Null for what is no UDP, or a later fragment. */
function ipv4At(bytes: Buffer, at: number): Ip | null {
  const headerBytes = (bytes[at]! & 15) * 4
  if (headerBytes < 20 || at + headerBytes > bytes.length || bytes[at + 9] !== udp) return null
  const fragment = bytes.readUInt16BE(at + 6)
  if ((fragment & 0x1fff) !== 0) return null
  return {
    at: at + headerBytes,
    from: mappedIpv4(bytes.readUInt32BE(at + 12)),
    to: mappedIpv4(bytes.readUInt32BE(at + 16)),
    isFragment: (fragment & 0x2000) !== 0,
  }
}

/** RFC 8200 sections 3 and 4. */
function ipv6At(bytes: Buffer, start: number): Ip | null {
  if (start + 40 > bytes.length) return null
  let next = bytes[start + 6]!
  let at = start + 40
  let isFragment = false
  while (next !== udp) {
    if (at + 8 > bytes.length) return null
    if (next === ipv6Fragment) {
      const fragment = bytes.readUInt16BE(at + 2)
      if (fragment >> 3 !== 0) return null
      isFragment ||= (fragment & 1) !== 0
      next = bytes[at]!
      at += 8
    } else if (ipv6Options.has(next)) {
      next = bytes[at]!
      at += (bytes[at + 1]! + 1) * 8
    } else return null
  }
  return { at, from: ipv6Of(bytes, start + 8), to: ipv6Of(bytes, start + 24), isFragment }
}

const ipv6Of = (bytes: Buffer, at: number) => Uint8Array.from(bytes.subarray(at, at + 16))
