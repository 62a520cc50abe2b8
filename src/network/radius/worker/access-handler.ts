import { decideAccess, type Grant, type Refusal, type RefusalReason, replyMessage } from '../../../domain/access.ts'
import type { NasId } from '../../../domain/ids.ts'
import { exactNames, type NameRules, nameRulesAt, nameRulesOf } from '../../access/login-names.ts'
import type { AddressSource } from '../../access/pools.ts'
import type { AccessReader } from '../../access/reader.ts'
import type { AccessRecord } from '../../access/record.ts'
import { stationHash } from '../../access/station.ts'
import type { NasLearned, RadiusSettings, WorkerRules } from './messages.ts'
import { attributes, microsoft, vendors } from '../wire/attribute-types.ts'
import { writeEapFailure } from '../wire/eap.ts'
import { writeMsChapAccept } from '../wire/mppe.ts'
import { chapError, type MsChapRequest } from '../wire/ms-chap.ts'
import { codes, type PacketView } from '../wire/packet.ts'
import { isPasswordGarbled, passwordMethod } from '../wire/passwords.ts'
import { writeSecrets } from '../wire/secret-attributes.ts'
import type { PacketWriter } from '../wire/writer.ts'
import type { DropFault } from './counters.ts'
import {
  type Credentials,
  type CryptQuestion,
  type CryptVerdict,
  checkCredentials,
  type MsChapProof,
} from './credentials.ts'
import { writeGrant } from './grants.ts'
import { useOther, verifySigned } from './secret-change.ts'
import type { ClassWriter } from './session-class.ts'
import { blocksOf, type TemplateBlocks } from './template-blocks.ts'
import { type KnownNas, learnFrom, signatureFault } from './signature-rules.ts'

/** RFC 2759 section 6: wrong password; no permission to dial in. */
const errorAuthentication = 691
const errorNoPermission = 649

/** What is reported besides the answer. Each event is rare or limited by the listener. */
export type AccessListener = {
  /** `record` is the login's, where it is known; like the packet it is valid during the call only. */
  readonly rejected: (
    reason: RefusalReason,
    packet: PacketView,
    nasId: NasId,
    record: AccessRecord | null,
    atMs: number,
  ) => void
  /** Called while RADIUS_LOG_ACCEPTS is on. */
  readonly accepted: (grant: Grant, packet: PacketView, nasId: NasId, record: AccessRecord, atMs: number) => void
  readonly learned: (learned: NasLearned, edition: number) => void
  /** `nas.secret` was proved, while it is being changed. */
  readonly proved: (nas: KnownNas) => void
  /** The password is wrong and looks as if it had been hidden with another secret than ours. */
  readonly garbled: (nas: KnownNas) => void
}

/** `held`: the answer waits for a verdict on `question`. */
export type AccessOutcome = 'accept' | 'reject' | 'status' | 'held' | DropFault

/**
 * Answers Access-Requests and Status-Server from shared memory alone, without sockets, the database or the main thread.
 * The answer is left in the given writer. Every worker has one handler.
 */
export class AccessHandler {
  readonly #reader: AccessReader
  readonly #addresses: Pick<AddressSource, 'acquire'>
  readonly #classes: ClassWriter
  readonly #listener: AccessListener
  /** What the last request that was held waits for. */
  question: CryptQuestion | null = null
  /** The last MPPE salt. No two attributes of a packet may share one (RFC 2548 section 2.4.2). */
  #salt = 0
  #settings!: RadiusSettings
  #templates: ReadonlyMap<NasId, TemplateBlocks> = new Map()
  /** How a User-Name leads to a login, by the settings. */
  #names: NameRules = exactNames

  constructor(
    reader: AccessReader,
    addresses: Pick<AddressSource, 'acquire'>,
    classes: ClassWriter,
    rules: WorkerRules,
    listener: AccessListener,
  ) {
    this.#reader = reader
    this.#addresses = addresses
    this.#classes = classes
    this.#listener = listener
    this.follow(rules)
  }

  /** Applies to the next packet. */
  follow({ settings, templates = new Map() }: WorkerRules): void {
    this.#settings = settings
    this.#templates = new Map(Array.from(templates, ([id, template]) => [id, blocksOf(template)]))
    this.#names = nameRulesOf(settings)
  }

  /** A Status-Server to the authentication port (RFC 5997 section 4.2). */
  answerStatus(packet: PacketView, nas: KnownNas, writer: PacketWriter): AccessOutcome {
    const fault = statusFault(packet, nas)
    if (fault) return fault
    this.#begin(codes.accessAccept, packet, writer)
    writer.finishResponseTo(packet, nas.secret)
    return 'status'
  }

  /**
   * An outcome other than accept and reject is a reason to stay silent. A request that was held is asked again with
   * what was found since.
   */
  answerAccess(
    packet: PacketView,
    nas: KnownNas,
    nowMs: number,
    writer: PacketWriter,
    verdicts: readonly CryptVerdict[] = noVerdicts,
  ): AccessOutcome {
    const verdict = verifySigned(packet, nas)
    if (verdict === 'wrong') return 'badMessageAuthenticator'
    const signature = {
      signed: verdict === 'right',
      hasProxyState: packet.has(attributes.proxyState),
      hasEap: packet.has(attributes.eapMessage),
    }
    const fault = signatureFault(nas, signature)
    if (fault) return fault
    const names = nas.realms === null ? this.#names : nameRulesAt(nas.realms, this.#names)
    const credentials = this.#checkCredentials(packet, nas, names, signature.signed, verdicts)
    const learned = learnFrom(nas, signature, credentials.kind === 'right' && hasPassword(packet))
    if (learned) this.#listener.learned(learned, nas.record.edition)
    const { record } = this.#reader
    switch (credentials.kind) {
      case 'refusedRealm':
        return this.#reject(packet, nas, nowMs, writer, 'refusedRealm', null, credentials.msChap)
      case 'eap':
        return this.#reject(packet, nas, nowMs, writer, 'eapNotOffered', null, null)
      case 'unfit':
        return this.#reject(packet, nas, nowMs, writer, credentials.reason, record, credentials.msChap)
      case 'unverified':
        this.question = credentials.question
        return 'held'
      case 'wrong': {
        // A signature has proved the secret, and during its change there are two.
        if (!signature.signed && nas.other === null && isPasswordGarbled(packet, nas.secret))
          this.#listener.garbled(nas)
        return credentials.isKnown
          ? this.#reject(packet, nas, nowMs, writer, 'wrongPassword', record, credentials.msChap)
          : this.#reject(packet, nas, nowMs, writer, 'unknownLogin', null, credentials.msChap)
      }
      case 'right':
        return this.#decide(packet, nas, nowMs, writer, credentials.msChap)
    }
  }

  /**
   * An unsigned request proves no secret; a PAP password does when it is right, so while the secret is being changed it
   * is read with the other one too. Every other method answers with the secret that the NAS proved last.
   */
  #checkCredentials(
    packet: PacketView,
    nas: KnownNas,
    names: NameRules,
    isSigned: boolean,
    verdicts: readonly CryptVerdict[],
  ): Credentials {
    const credentials = checkCredentials(packet, nas.secret, this.#reader, names, verdicts)
    if (nas.other === null) return credentials
    const isPap = (packet.find(attributes.userPassword)?.length ?? 0) > 0
    const { kind } = credentials
    if (!isSigned && isPap && (kind === 'wrong' || kind === 'unverified')) {
      packet.precomputed = null
      const byOther = checkCredentials(packet, nas.other, this.#reader, names, verdicts)
      // Two passwords are to be compared then, one after the other.
      if (kind === 'wrong' && byOther.kind === 'unverified') return byOther
      if (byOther.kind !== 'right') return credentials
      useOther(nas)
      this.#listener.proved(nas)
      return byOther
    }
    if (isSigned || (isPap && kind === 'right')) this.#listener.proved(nas)
    return credentials
  }

  #decide(
    packet: PacketView,
    nas: KnownNas,
    nowMs: number,
    writer: PacketWriter,
    msChap: MsChapProof | null,
  ): AccessOutcome {
    const { record } = this.#reader
    const now = nowMs / 1000
    const station = stationOf(packet)
    const decision: Grant | Refusal = decideAccess(record, now, station, this.#settings)
    const address = decision.kind === 'refusal' ? -1 : this.#addressFor(station, now)
    if (decision.kind === 'refusal' || address === noFreeAddress) {
      const reason = decision.kind === 'refusal' ? decision.reason : 'noFreeAddress'
      return this.#reject(packet, nas, nowMs, writer, reason, record, msChap?.request ?? null)
    }
    // From here the request is accepted.
    this.#begin(codes.accessAccept, packet, writer)
    if (msChap) {
      this.#salt = (this.#salt + 2) & 0x7fff
      const answer = { ntHash: msChap.ntHash, password: msChap.password, secret: nas.secret, salt: this.#salt }
      writeMsChapAccept(writer, msChap.request, packet.authenticator, answer)
    }
    this.#classes.write(writer, record.loginId, decision.walledGarden, address, now)
    writeGrant(writer, record, decision, address, this.#templates.get(nas.record.id) ?? noBlocks, this.#settings)
    const { bytes, tariffReplyEnd, secretReplyEnd } = record
    if (secretReplyEnd > tariffReplyEnd) {
      const { authenticator } = packet
      // The keys of MS-CHAP have taken this salt and the next one.
      const taken = this.#salt + 1
      this.#salt = writeSecrets(writer, bytes, tariffReplyEnd, secretReplyEnd, authenticator, nas.secret, taken)
    }
    // Without one of its attributes it might let a debtor out of the walled garden, or into another VLAN.
    if (writer.refused > 0)
      return this.#reject(packet, nas, nowMs, writer, 'answerTooLong', record, msChap?.request ?? null)
    writer.finishResponseTo(packet, nas.secret)
    if (this.#settings.logsAccepts) this.#listener.accepted(decision, packet, nas.record.id, record, nowMs)
    return 'accept'
  }

  /** Users.ip or an address of the pool; -1 when the login has neither. */
  #addressFor(station: number, now: number): number {
    const { record } = this.#reader
    if (!record.takesPoolAddress) return record.ip
    const { poolId, loginId, simultaneousUse } = record
    const address = this.#addresses.acquire(poolId, loginId, station, simultaneousUse, Math.floor(now))
    return address < 0 ? noFreeAddress : address
  }

  /** `record` is that of the login; null where the request leads to none. */
  #reject(
    packet: PacketView,
    nas: KnownNas,
    nowMs: number,
    writer: PacketWriter,
    reason: RefusalReason,
    record: AccessRecord | null,
    msChap: MsChapRequest | null,
  ): AccessOutcome {
    this.#begin(codes.accessReject, packet, writer)
    const message = replyMessage(reason, record, this.#settings.timeZone)
    writer.text(attributes.replyMessage, message)
    writeEapFailure(writer, packet)
    if (msChap) {
      const isWrong = reason === 'wrongPassword' || reason === 'unknownLogin' || reason === 'msChapWithHash'
      const error = chapError(msChap, isWrong ? errorAuthentication : errorNoPermission, message)
      writer.vendorOctets(vendors.microsoft, microsoft.chapError, error)
    }
    if (writer.refused > 0) return 'answerTooLong'
    writer.finishResponseTo(packet, nas.secret)
    this.#listener.rejected(reason, packet, nas.record.id, record, nowMs)
    return 'reject'
  }

  /** The Message-Authenticator comes first, then Proxy-State, which leaves as it came or not at all. */
  #begin(code: number, packet: PacketView, writer: PacketWriter): void {
    writer.begin(code, packet.identifier)
    writer.messageAuthenticator()
    writer.proxyStates(packet)
  }
}

const noFreeAddress = -2
const noBlocks = blocksOf({ accept: [], coa: [], garden: [] })
const noVerdicts: readonly CryptVerdict[] = []

/** RFC 5997 section 3: a Status-Server without a right Message-Authenticator is dropped. */
export function statusFault(packet: PacketView, nas: KnownNas): DropFault | null {
  const verdict = verifySigned(packet, nas)
  if (verdict === 'right') return null
  return verdict === 'wrong' ? 'badMessageAuthenticator' : 'missingMessageAuthenticator'
}

/** Whether there is one to be right: the login of a MAC address may come without a password, from anybody. */
function hasPassword(packet: PacketView): boolean {
  const method = passwordMethod(packet)
  return method !== 'none' && (method !== 'pap' || packet.bytes[packet.offsetOf(attributes.userPassword) + 1]! > 2)
}

function stationOf(packet: PacketView): number {
  const at = packet.offsetOf(attributes.callingStationId)
  return at === -1 ? 0 : stationHash(packet.bytes, at + 2, at + packet.bytes[at + 1]!)
}
