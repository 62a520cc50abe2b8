import { attributes } from './attribute-types.ts'
import type { PacketView } from './packet.ts'
import type { PacketWriter } from './writer.ts'

/** RFC 3748 section 4.2: code, identifier, and a length of four octets, which is the whole packet. */
const failure = Uint8Array.of(4, 0, 0, 4)
const identifierAt = 1

/**
 * Ends the EAP conversation of a rejected request (RFC 3579 section 2.6.3). Without an EAP-Failure the client waits for
 * its own timeout. A request without EAP-Message gets none.
 */
export function writeEapFailure(writer: PacketWriter, request: PacketView): void {
  if (!request.has(attributes.eapMessage)) return
  failure[identifierAt] = eapIdentifier(request)
  writer.octets(attributes.eapMessage, failure)
}

/**
 * The Identifier of the EAP packet, which may be split over several attributes at any octet (RFC 3579 section 3.1). An
 * EAP-Start is empty and has no Identifier; zero is used for it.
 */
function eapIdentifier(request: PacketView): number {
  const { bytes } = request
  let before = 0
  for (let at = request.offsetOf(attributes.eapMessage); at !== -1; ) {
    const octets = bytes[at + 1]! - 2
    if (before + octets > identifierAt) return bytes[at + 2 + identifierAt - before]!
    before += octets
    at = request.offsetAfter(attributes.eapMessage, at)
  }
  return 0
}
