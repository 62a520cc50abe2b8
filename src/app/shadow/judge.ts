import { randomBytes } from 'node:crypto'
import { blockedReason, operatorText, type RefusalCode, refusalCodes } from '../../domain/access.ts'
import { AccessReader } from '../../network/access/reader.ts'
import type { AccessWriter } from '../../network/access/writer.ts'
import { AccessPreview } from '../../network/radius/access-preview.ts'
import { templatesOf } from '../../network/radius/templates.ts'
import { type AttributeText, attributeTexts } from '../../network/radius/wire/attribute-text.ts'
import { attributes } from '../../network/radius/wire/attribute-types.ts'
import { datagramWord, datagramWords } from '../../network/radius/udp/udp-port.ts'
import { verifyResponse } from '../../network/radius/wire/authenticator.ts'
import { headerBytes, type PacketView } from '../../network/radius/wire/packet.ts'
import { PacketWriter } from '../../network/radius/wire/writer.ts'
import { AccessHandler } from '../../network/radius/worker/access-handler.ts'
import type { DropFault } from '../../network/radius/worker/counters.ts'
import type { CryptVerdict } from '../../network/radius/worker/credentials.ts'
import { NasTable } from '../../network/radius/worker/nas-table.ts'
import { ClassWriter } from '../../network/radius/worker/session-class.ts'
import type { KnownNas } from '../../network/radius/worker/signature-rules.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { CryptVerifier } from '../../platform/passwords/crypt-verifier.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { namesAt, radiusSettings } from '../radius-rules.ts'
import type { Exchange } from './exchange.ts'
import { noSecret, rebuiltRequest } from './request-packet.ts'

/** The answer that Tollgate would give. */
export type Answer =
  /** `garden`: why it would be the walled garden only. */
  | { readonly kind: 'accept'; readonly garden: string | null; readonly attributes: readonly AttributeText[] }
  | { readonly kind: 'reject'; readonly reason: string; readonly code: RefusalCode }
  | { readonly kind: 'silent'; readonly fault: DropFault }

export type Judgement = {
  /** The name of the NAS here; null: no record has its address. */
  readonly nas: string | null
  readonly login: string
  readonly isEap: boolean
  /** Null of a NAS that is not known. */
  readonly answer: Answer | null
  /** False: nothing tells what the password was, and it is taken to be right. */
  readonly isPasswordSeen: boolean
  /** Whether the other server has signed its answer with the secret of the NAS here; null: nobody knows. */
  readonly hasSameSecret: boolean | null
}

type Parts = {
  readonly access: AccessWriter
  readonly secrets: Secrets
  readonly settings: Settings
  readonly cryptVerifier: Pick<CryptVerifier, 'verify'>
  readonly clock: Clock
}

/**
 * Decides as RADIUS does, by the same functions and the tables as they are now, and leaves no trace: nothing is sent,
 * learned or logged, no address is taken, and no session counts.
 */
export class Judge {
  readonly #parts: Parts
  readonly #reader: AccessReader
  readonly #preview: AccessPreview
  readonly #handler: AccessHandler
  readonly #writer = new PacketWriter()
  readonly #words = new Int32Array(datagramWords)
  #nas = new NasTable([])
  /** What the handler has told of the last answer. */
  #told: { reason: string; code: RefusalCode } | null = null
  #garden: string | null = null
  #isGarbled = false

  constructor(parts: Parts) {
    const { access, secrets, settings } = parts
    const timeZone = () => settings.get('TIME_ZONE')
    this.#parts = parts
    this.#reader = new AccessReader(access.table.handle(), secrets)
    this.#preview = new AccessPreview({
      access,
      settings: () => radiusSettings(settings),
      namesAt: (nas) => namesAt(nas, settings),
    })
    const addresses = {
      acquire: (poolId: number, loginId: number, station: number, simultaneousUse: number) =>
        access.pools.preview(poolId, loginId, station, simultaneousUse),
    }
    // Nobody sees the Class attributes.
    const classes = new ClassWriter(randomBytes(32), 0)
    this.#handler = new AccessHandler(this.#reader, addresses, classes, this.#rules(), {
      rejected: (reason, _packet, _nas, record) => {
        this.#told = { reason: operatorText(reason, record, timeZone()), code: refusalCodes[reason] }
      },
      accepted: (grant, _packet, _nas, record, atMs) => {
        const blocked = grant.walledGarden ? blockedReason(record, atMs / 1000) : null
        this.#garden = blocked && `walled garden, ${operatorText(blocked, record, timeZone())}`
      },
      learned: () => {},
      proved: () => {},
      garbled: () => {
        this.#isGarbled = true
      },
    })
    access.onNas(() => this.#follow())
    settings.onChange(() => this.#follow())
  }

  async judge({ source, request, reply }: Exchange): Promise<Judgement> {
    const asked =
      request.kind === 'packet'
        ? { packet: request.packet, isProved: true }
        : rebuiltRequest(request.attributes, noSecret)
    const login = asked.packet.text(attributes.userName) ?? ''
    const isEap = asked.packet.has(attributes.eapMessage)
    const nas = this.#nasOf(source, asked.packet)
    const about = { login, isEap, nas: nas?.record.name ?? null, isPasswordSeen: asked.isProved }
    if (nas === null) return { ...about, answer: null, hasSameSecret: null }
    if (request.kind === 'packet') {
      const answer = await this.#ask(request.packet, nas)
      const hasSameSecret = reply?.kind === 'packet' ? isSignedBy(nas, reply.packet, request.packet) : null
      return { ...about, answer, hasSameSecret }
    }
    const answer = await this.#ask(rebuiltRequest(request.attributes, nas.secret).packet, nas)
    const isUnproved = !asked.isProved && answer.kind === 'reject' && answer.code === 'wrong_password'
    return { ...about, answer: isUnproved ? this.#presume(nas, login) : answer, hasSameSecret: null }
  }

  /** The pool that an address is given out of; null: none. */
  poolOf(address: number): number | null {
    const { pools } = this.#parts.access
    const use = pools.useOf(address)
    return use === null || use === 'fixed' ? null : (pools.leaseAt(address)?.poolId ?? null)
  }

  close(): void {
    this.#preview.close()
    this.#reader.close()
  }

  async #ask(packet: PacketView, nas: KnownNas): Promise<Answer> {
    const verdicts: CryptVerdict[] = []
    for (;;) {
      this.#told = this.#garden = null
      this.#isGarbled = false
      const nowMs = this.#parts.clock.now().getTime()
      const outcome = this.#handler.answerAccess(packet, nas, nowMs, this.#writer, verdicts)
      const { question } = this.#handler
      if (outcome === 'held' && question !== null) {
        const isRight = await this.#parts.cryptVerifier.verify(question.hash, question.password)
        verdicts.push({ ...question, isRight })
        continue
      }
      if (outcome === 'accept')
        return { kind: 'accept', garden: this.#garden, attributes: attributeTexts(this.#writer.packet, headerBytes) }
      if (outcome === 'reject') return this.#rejected()
      return { kind: 'silent', fault: outcome === 'held' || outcome === 'status' ? 'failure' : outcome }
    }
  }

  #rejected(): Answer {
    const { reason, code } = this.#told!
    const remark = this.#isGarbled ? '; it looks as if it had been hidden with another secret of the NAS' : ''
    return { kind: 'reject', reason: `${reason}${remark}`, code }
  }

  /** The answer to the right password. */
  #presume(nas: KnownNas, login: string): Answer {
    const shown = this.#preview.answer(nas.record, login, this.#parts.clock.now(), () => true)
    const { reason, code } = shown
    if (shown.result === 'reject') return { kind: 'reject', reason: reason!, code: code! }
    return { kind: 'accept', garden: reason, attributes: shown.attributes }
  }

  #nasOf(source: Uint8Array, packet: PacketView): KnownNas | null {
    const address = new Int32Array(Uint8Array.from(source).buffer)
    this.#words.set(address, datagramWord.address)
    const place = this.#nas.find(this.#words, 0)
    return place && this.#nas.choose(place, packet)
  }

  #follow(): void {
    const rules = this.#rules()
    this.#nas = new NasTable(rules.nas)
    this.#handler.follow(rules)
  }

  #rules() {
    const { access, settings } = this.#parts
    return {
      nas: access.nas.map((nas) => ({ ...nas, nasSlot: 0, edition: 0 })),
      // The handler reports accepts only while this setting is on.
      settings: { ...radiusSettings(settings), logsAccepts: true },
      templates: templatesOf(access.nas),
    }
  }
}

/** While the secret of a NAS is being changed, either counts. */
const isSignedBy = ({ secret, other }: KnownNas, reply: PacketView, request: PacketView): boolean =>
  verifyResponse(reply, request.authenticator, secret) ||
  (other !== null && verifyResponse(reply, request.authenticator, other))
