import {
  type MessageAuthenticatorVerdict,
  verifyMessageAuthenticator,
  verifyRequestAuthenticator,
} from '../wire/authenticator.ts'
import type { PacketView } from '../wire/packet.ts'
import type { KnownNas } from './signature-rules.ts'

/**
 * While a secret is being changed, a request may be signed with either. The one that was proved last is tried first and
 * the other one only when that fails; a request that proves the other one makes it the first, so an answer is always
 * signed with `nas.secret`.
 */
export function verifySigned(packet: PacketView, nas: KnownNas): MessageAuthenticatorVerdict {
  const verdict = verifyMessageAuthenticator(packet, nas.secret)
  if (verdict !== 'wrong' || nas.other === null) return verdict
  // What was computed for the batch is of the first secret.
  packet.precomputed = null
  if (verifyMessageAuthenticator(packet, nas.other) === 'wrong') return 'wrong'
  useOther(nas)
  return 'right'
}

/** The same for the Request Authenticator of accounting, which every request has. */
export function verifyAccounting(packet: PacketView, nas: KnownNas): boolean {
  if (verifyRequestAuthenticator(packet, nas.secret)) return true
  if (nas.other === null) return false
  packet.precomputed = null
  if (!verifyRequestAuthenticator(packet, nas.other)) return false
  useOther(nas)
  return true
}

export function useOther(nas: KnownNas): void {
  const { secret, key } = nas
  nas.secret = nas.other!
  nas.key = nas.otherKey
  nas.other = secret
  nas.otherKey = key
  nas.usesNext = !nas.usesNext
}
