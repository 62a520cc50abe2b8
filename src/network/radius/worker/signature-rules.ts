import { isNextProvedLast, ownRealms } from '../../../domain/nas.ts'
import type { RealmList } from '../../../domain/realms.ts'
import type { NasLearned, NasSlot } from './messages.ts'

import { parseAddress } from '../wire/address.ts'
import { SharedSecret } from '../wire/shared-secret.ts'

/**
 * A NAS as a thread that receives packets stores it: the record, its secrets prepared for hashing, and what `auto` has
 * learned. While a secret is being changed, `secret` is the one that was proved last and `other` the other one.
 */
export type KnownNas = {
  readonly record: NasSlot
  secret: SharedSecret
  /**
   * The index of the prepared secret in NasTable.keys; -1 when the secret is too long for it.
   */
  key: number
  other: SharedSecret | null
  otherKey: number
  /** Whether `secret` is the record's next one. */
  usesNext: boolean
  /** When the secret and the next one were last reported as proved, milliseconds since 1970. */
  readonly provedAtMs: [number, number]
  /** Our own address that it asked last, as a datagram describes it. */
  readonly asked: Int32Array
  /** When that was last reported, milliseconds since 1970. */
  askedAtMs: number
  /** Null when it is still to be learned. */
  mustSign: boolean | null
  limitsProxyState: boolean | null
  /** The list of its own; null where RADIUS_REALMS applies. */
  readonly realms: RealmList | null
}

export function knownNas(record: NasSlot): KnownNas {
  const usesNext = isNextProvedLast(record)
  const secret = new SharedSecret(record.secret)
  const next = record.secretNext ? new SharedSecret(record.secretNext) : null
  return {
    record,
    secret: usesNext ? next! : secret,
    key: -1,
    other: usesNext ? secret : next,
    otherKey: -1,
    usesNext,
    provedAtMs: [record.secretSeenAtMs ?? 0, record.secretNextSeenAtMs ?? 0],
    asked: new Int32Array(parseAddress(record.askedIp ?? '::')!.buffer),
    askedAtMs: record.askedAtMs ?? 0,
    mustSign: decided(record.requireMessageAuthenticator, record.learnedMessageAuthenticator),
    limitsProxyState: decided(record.limitProxyState, record.learnedProxyState),
    realms: ownRealms(record),
  }
}

const decided = (wanted: 'yes' | 'no' | 'auto', learned: boolean | null | undefined): boolean | null =>
  wanted === 'auto' ? (learned ?? null) : wanted === 'yes'

/** The part of an Access-Request that matters here; `signed` means a correct Message-Authenticator. */
export type Signature = { signed: boolean; hasProxyState: boolean; hasEap: boolean }

/**
 * The defences against Blast-RADIUS as in FreeRADIUS 3.2.5 (rad_packet_ok). EAP must be signed (RFC 3579 section 3.1).
 */
export function signatureFault(
  nas: KnownNas,
  request: Signature,
): 'missingMessageAuthenticator' | 'unsignedProxyState' | null {
  if (request.signed) return null
  if (nas.mustSign === true || request.hasEap) return 'missingMessageAuthenticator'
  return nas.limitsProxyState === true && request.hasProxyState ? 'unsignedProxyState' : null
}

/**
 * What a request teaches about a NAS on `auto`; null for nothing new. A signed request proves the secret: the NAS
 * signs, for good, whatever was learned before. Anybody can send an unsigned one, so it counts only when its password
 * was right: the NAS does not sign, and by its Proxy-State whether it is a proxy that must be accepted. FreeRADIUS
 * 3.2.5 learns from the first request instead (blastradius_checks). Everybody signs EAP, so nothing is learned from it.
 */
export function learnFrom(nas: KnownNas, request: Signature, isPasswordRight: boolean): NasLearned | null {
  const { signed, hasEap, hasProxyState } = request
  if (signed ? hasEap : !isPasswordRight) return null
  const mustSign = nas.record.requireMessageAuthenticator === 'auto' ? signed || (nas.mustSign ?? false) : nas.mustSign
  const limitsProxyState =
    mustSign === true ? nas.limitsProxyState : (nas.limitsProxyState ?? (signed || !hasProxyState))
  if (mustSign === nas.mustSign && limitsProxyState === nas.limitsProxyState) return null
  nas.mustSign = mustSign
  nas.limitsProxyState = limitsProxyState
  return learned(nas)
}

const learned = (nas: KnownNas): NasLearned => ({
  nasId: nas.record.id,
  messageAuthenticator: nas.record.requireMessageAuthenticator === 'auto' ? nas.mustSign : null,
  proxyState: nas.record.limitProxyState === 'auto' ? nas.limitsProxyState : null,
})
