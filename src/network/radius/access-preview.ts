import {
  type AccessEntry,
  blockedReason,
  decideAccess,
  type Grant,
  operatorText,
  type RefusalReason,
  replyMessage,
  type RefusalCode,
  refusalCodes,
} from '../../domain/access.ts'
import type { NasEntry } from '../../domain/nas.ts'
import { findByName, type NameRules } from '../access/login-names.ts'
import type { AddressPools } from '../access/pools.ts'
import { AccessReader } from '../access/reader.ts'
import type { AccessRecord } from '../access/record.ts'
import { parseMacText } from '../access/station.ts'
import type { AccessTable } from '../access/table.ts'
import { templateOf } from './templates.ts'
import { type AttributeText, attributeTexts } from './wire/attribute-text.ts'
import { attributes } from './wire/attribute-types.ts'
import { codes, headerBytes } from './wire/packet.ts'
import { writeSecrets } from './wire/secret-attributes.ts'
import { SharedSecret } from './wire/shared-secret.ts'
import { PacketWriter } from './wire/writer.ts'
import { writeGrant } from './worker/grants.ts'
import type { RadiusSettings } from './worker/messages.ts'
import { ClassWriter } from './worker/session-class.ts'
import { blocksOf } from './worker/template-blocks.ts'

/** How an Access-Request would be answered. */
export type PreviewedAnswer = {
  readonly result: 'accept' | 'reject'
  /** Why it is rejected, or accepted into the walled garden only; null for an accept without limits. */
  readonly reason: string | null
  /** The code of that reason for programs. */
  readonly code: RefusalCode | null
  /** In the order of the packet, without what belongs to one exchange only: Message-Authenticator, Class, keys. */
  readonly attributes: AttributeText[]
}

/** How a login stands, whoever asks for it. */
export type LoginStanding = {
  /** Why its sign-in with the right password would be rejected, had it no session; null: it would be accepted. */
  readonly refusal: RefusalReason | null
  /** Why it would be accepted into the walled garden only; null: it would not. */
  readonly garden: RefusalReason | null
  /** Why one more sign-in, beside the sessions it has, would be rejected. */
  readonly nextRefusal: RefusalReason | null
  readonly sessions: number
  readonly sessionsMax: number
}

type PreviewParts = {
  access: { readonly table: Pick<AccessTable, 'handle'>; readonly pools: Pick<AddressPools, 'preview'> }
  settings: () => RadiusSettings
  /** How the User-Names of a NAS are read. */
  namesAt: (nas: NasEntry) => NameRules
}

/** The login that a request is about, or why it is rejected. */
type Found = { readonly record: AccessRecord } | { readonly reason: RefusalReason }

type Decided =
  | { readonly grant: Grant; readonly address: number; readonly garden: RefusalReason | null }
  | { readonly reason: RefusalReason }

/** The login as if none of its sessions were there. */
const withoutSessions = (record: AccessRecord): AccessEntry => ({
  deleted: record.deleted,
  disabledByHand: record.disabledByHand,
  loginEnabled: record.loginEnabled,
  subscriberEnabled: record.subscriberEnabled,
  blockBits: record.blockBits,
  asleepUntil: record.asleepUntil,
  accessEnd: record.accessEnd,
  walledGarden: record.walledGarden,
  simultaneousUse: record.simultaneousUse,
  liveSessions: 0,
  hasStation: () => false,
})

/** No station is known, so the request is not taken for the return of a live session. */
const noStation = 0
/** Writes a Class that is not shown, because it takes its room in the packet all the same. */
const classes = new ClassWriter(new Uint8Array(32), 0)
const noAuthenticator = new Uint8Array(16)

/**
 * Shows how a request with the right password would be answered, by the functions that answer in the workers. It leaves
 * no trace: no address is taken, and nothing is counted or stored.
 */
export class AccessPreview {
  readonly #parts: PreviewParts
  readonly #reader: AccessReader
  readonly #writer = new PacketWriter()

  constructor(parts: PreviewParts) {
    this.#parts = parts
    this.#reader = new AccessReader(parts.access.table.handle())
  }

  /** `isVisible` says of an organization whether its logins may be shown; others are answered as unknown. */
  answer(nas: NasEntry, userName: string, now: Date, isVisible: (organization: number) => boolean): PreviewedAnswer {
    const found = this.#find(nas, userName)
    if (!('record' in found)) return this.#reject(found.reason, null)
    const { record } = found
    if (!isVisible(record.organizationId)) return this.#reject('unknownLogin', null)
    const decided = this.#decide(record, now)
    if (!('grant' in decided)) return this.#reject(decided.reason, record)
    const { grant, address, garden } = decided
    const attributes = this.#granted(nas, record, grant, address)
    if (attributes === null) return this.#reject('answerTooLong', record)
    return {
      result: 'accept',
      reason: garden && `walled garden, ${operatorText(garden, record, this.#parts.settings().timeZone)}`,
      code: garden && refusalCodes[garden],
      attributes,
    }
  }

  /** How a login stands for a request from a new station, by its stored name; null when the table does not have it. */
  standingOf(login: string, now: Date): LoginStanding | null {
    if (!this.#reader.findLogin(Buffer.from(login))) return null
    const { record } = this.#reader
    const alone = decideAccess(withoutSessions(record), now.getTime() / 1000, noStation, this.#parts.settings())
    const next = this.#decide(record, now)
    const isGarden = alone.kind === 'grant' && alone.walledGarden
    return {
      refusal: alone.kind === 'refusal' ? alone.reason : null,
      garden: isGarden ? blockedReason(record, now.getTime() / 1000) : null,
      nextRefusal: 'grant' in next ? null : next.reason,
      sessions: record.liveSessions,
      sessionsMax: record.simultaneousUse,
    }
  }

  close(): void {
    this.#reader.close()
  }

  #decide(record: AccessRecord, now: Date): Decided {
    const nowSeconds = now.getTime() / 1000
    const grant = decideAccess(record, nowSeconds, noStation, this.#parts.settings())
    if (grant.kind === 'refusal') return { reason: grant.reason }
    const address = this.#addressOf(record)
    if (address === null) return { reason: 'noFreeAddress' }
    return { grant, address, garden: grant.walledGarden ? blockedReason(record, nowSeconds) : null }
  }

  /** As checkCredentials, for a password that is right where there is one. */
  #find(nas: NasEntry, userName: string): Found {
    const reader = this.#reader
    const name = Buffer.from(userName)
    const found = findByName(reader, name, 0, name.length, this.#parts.namesAt(nas))
    if (found === 'refusedRealm') return { reason: 'refusedRealm' }
    const { record } = reader
    if (found === 'found' && record.hasPassword) return { record }
    const mac = parseMacText(userName)
    if (mac >= 0 && reader.findMac(mac)) return { record }
    return { reason: found === 'found' ? 'wrongPassword' : 'unknownLogin' }
  }

  /** The bits of the address, -1 for none; null when its pool has none left. */
  #addressOf(record: AccessRecord): number | null {
    if (!record.takesPoolAddress) return record.ip
    const { poolId, loginId, simultaneousUse } = record
    const address = this.#parts.access.pools.preview(poolId, loginId, noStation, simultaneousUse)
    return address < 0 ? null : address
  }

  /** Null where they do not fit into a packet. */
  #granted(nas: NasEntry, record: AccessRecord, grant: Grant, address: number): AttributeText[] | null {
    const writer = this.#writer
    writer.begin(codes.accessAccept, 0)
    writer.messageAuthenticator()
    classes.write(writer, record.loginId, grant.walledGarden, address, 0)
    const grantedAt = writer.length
    writeGrant(writer, record, grant, address, blocksOf(templateOf(nas)), this.#parts.settings())
    const { bytes, tariffReplyEnd, secretReplyEnd } = record
    writeSecrets(writer, bytes, tariffReplyEnd, secretReplyEnd, noAuthenticator, new SharedSecret(nas.secret), 0)
    return writer.refused > 0 ? null : attributeTexts(writer.packet, grantedAt)
  }

  #reject(reason: RefusalReason, record: AccessRecord | null): PreviewedAnswer {
    const writer = this.#writer
    const { timeZone } = this.#parts.settings()
    writer.begin(codes.accessReject, 0)
    writer.text(attributes.replyMessage, replyMessage(reason, record, timeZone))
    return {
      result: 'reject',
      reason: operatorText(reason, record, timeZone),
      code: refusalCodes[reason],
      attributes: attributeTexts(writer.packet, headerBytes),
    }
  }
}
