import { hash, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type StaffId, staffId as staffIdOf } from '../../domain/ids.ts'
import type { Clock } from '../actors/clock.ts'
import { SecretUnreadable, type Secrets } from '../secrets/secrets.ts'
import { type FactorMode, factorModeOf } from './second-factor-modes.ts'
import type { Queries } from './staff-table.ts'

const terms = {
  /** How long a sign-in waits for the second factor after the password was right. */
  challengeMs: 5 * 60_000,
  /** Wrong codes of one staff user within the window, from wherever. Who may guess codes knows the password. */
  failuresMax: 5,
  windowMs: 15 * 60_000,
  codeSeconds: 30,
  /** Codes before and after the present one are taken too (RFC 6238 section 5.2), for clocks that differ. */
  codeWindow: 1,
  secretBytes: 20,
  recoveryCodes: 10,
} as const

type FactorParts = {
  readonly database: Queries
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  /** STAFF_SECOND_FACTOR. */
  readonly setting: () => string
}

export type FactorAnswer =
  | {
      readonly kind: 'right'
      readonly staffId: StaffId
      readonly username: string
      readonly isWeak: boolean
      by: string
    }
  | { readonly kind: 'wrong'; readonly staffId: StaffId; readonly username: string }
  /** The sign-in has waited too long, or too many codes were wrong. */
  | { readonly kind: 'over' }

/** Codes of an application (TOTP, RFC 6238) and recovery codes, asked for after the password. */
export class SecondFactors {
  readonly #parts: FactorParts

  constructor(parts: FactorParts) {
    this.#parts = parts
  }

  modeOf(staff: { isSuperuser: boolean; role: string }): FactorMode {
    return factorModeOf(this.#parts.setting(), staff)
  }

  /** Begins to wait for the second factor of somebody whose password was right; the key goes to the browser. */
  async begin(staffId: StaffId, isWeak: boolean): Promise<string> {
    const key = randomBytes(32).toString('hex')
    const nowMs = this.#nowMs()
    await this.#parts.database.query('DELETE FROM staff_challenges WHERE created_at < $1', [
      new Date(nowMs - terms.windowMs),
    ])
    await this.#parts.database.query(
      'INSERT INTO staff_challenges (key_hash, staff_id, is_weak, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)',
      [hash('sha256', key), staffId, isWeak, new Date(nowMs), new Date(nowMs + terms.challengeMs)],
    )
    return key
  }

  /** Checks a code, which counts for one sign-in only. */
  async answer(key: string, code: string): Promise<FactorAnswer> {
    const waiting = await this.#count(key)
    if (!waiting) return { kind: 'over' }
    const { staffId, username, isWeak } = waiting
    const digits = code.replace(/[\s-]/g, '')
    const isTotp = /^\d{6}$/.test(digits)
    const isRight = isTotp ? await this.#takeTotp(waiting, digits) : await this.#takeRecoveryCode(staffId, digits)
    if (!isRight) return { kind: 'wrong', staffId, username }
    await this.#parts.database.query('DELETE FROM staff_challenges WHERE staff_id = $1', [staffId])
    return { kind: 'right', staffId, username, isWeak, by: isTotp ? 'page, code' : 'page, recovery code' }
  }

  /** A secret for an application, not yet stored, and the address that the QR code shows to it. */
  propose(username: string, secret = new Secret({ size: terms.secretBytes }).base32): { secret: string; uri: string } {
    return { secret, uri: totpOf(secret, username).toString() }
  }

  /** Whether a text has the form of a proposed secret. */
  isSecret(text: string): boolean {
    return secretForm.test(text)
  }

  /** Stores a proposed secret once its owner shows a code of it. Null: the code is wrong. */
  async enrol(client: Queries, staffId: StaffId, secret: string, code: string): Promise<readonly string[] | null> {
    const step = this.isSecret(secret) ? this.#stepOf(secret, code.replace(/\s/g, '')) : null
    if (step === null) return null
    const sealed = this.#parts.secrets.seal(secret)
    await client.query('UPDATE staff SET totp_secret = $2, totp_step = $3 WHERE id = $1', [staffId, sealed, step])
    return await this.renewRecoveryCodes(client, staffId)
  }

  /** Each of the new codes signs in once in place of a code of the application; the old ones are void. */
  async renewRecoveryCodes(client: Queries, staffId: StaffId): Promise<readonly string[]> {
    const codes = Array.from({ length: terms.recoveryCodes }, newRecoveryCode)
    await client.query('DELETE FROM staff_recovery_codes WHERE staff_id = $1', [staffId])
    await client.query('INSERT INTO staff_recovery_codes (staff_id, code_hash) SELECT $1, unnest($2::text[])', [
      staffId,
      codes.map((code) => hash('sha256', code.replaceAll('-', ''))),
    ])
    return codes
  }

  async recoveryCodesLeft(staffId: StaffId): Promise<number> {
    const text = 'SELECT count(*) AS count FROM staff_recovery_codes WHERE staff_id = $1'
    const { rows } = await this.#parts.database.query(text, [staffId])
    return Number(rows[0]!.count)
  }

  /**
   * Counts a try before it is checked, so that of parallel ones no more are checked than may fail. Null: it may not be
   * checked.
   */
  async #count(key: string): Promise<Waiting | null> {
    const { database } = this.#parts
    const now = new Date(this.#nowMs())
    const { rows } = await database.query(countTry, [hash('sha256', key), now])
    const row = rows[0]
    if (!row) return null
    const staffId = staffIdOf(row.staff_id as string)
    const since = new Date(now.getTime() - terms.windowMs)
    const [tried] = (await database.query(triesSince, [staffId, since])).rows
    if (Number(tried!.tries) > terms.failuresMax) return null
    const { username, totp_secret: sealed, is_weak: isWeak } = row
    return { staffId, username: String(username), sealed: sealed as string | null, isWeak: isWeak === true }
  }

  async #takeTotp({ staffId, sealed }: Waiting, code: string): Promise<boolean> {
    const secret = sealed === null ? null : this.#opened(sealed)
    const step = secret === null ? null : this.#stepOf(secret, code)
    if (step === null) return false
    const { rows } = await this.#parts.database.query(useStep, [staffId, step])
    return rows.length > 0
  }

  async #takeRecoveryCode(staffId: StaffId, code: string): Promise<boolean> {
    const text = 'DELETE FROM staff_recovery_codes WHERE staff_id = $1 AND code_hash = $2 RETURNING 1'
    const { rows } = await this.#parts.database.query(text, [staffId, hash('sha256', code.toUpperCase())])
    return rows.length > 0
  }

  /** Null: it was sealed with a lost key, so only recovery codes sign in. */
  #opened(sealed: string): string | null {
    try {
      return this.#parts.secrets.open(sealed)
    } catch (error) {
      if (error instanceof SecretUnreadable) return null
      throw error
    }
  }

  /** The number of the half minute whose code this is; null when it is wrong. */
  #stepOf(secret: string, code: string): number | null {
    const timestamp = this.#nowMs()
    const delta = totpOf(secret, '').validate({ token: code, timestamp, window: terms.codeWindow })
    return delta === null ? null : Math.floor(timestamp / 1000 / terms.codeSeconds) + delta
  }

  #nowMs = (): number => this.#parts.clock.now().getTime()
}

/** Takes the second factor and the recovery codes from a staff user, as when the phone is lost. */
export async function removeSecondFactor(client: Queries, id: StaffId): Promise<void> {
  await client.query('UPDATE staff SET totp_secret = NULL WHERE id = $1', [id])
  await client.query('DELETE FROM staff_recovery_codes WHERE staff_id = $1', [id])
}

type Waiting = { staffId: StaffId; username: string; sealed: string | null; isWeak: boolean }

const secretForm = /^[A-Z2-7]{32}$/

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Tollgate', label, period: terms.codeSeconds, secret: Secret.fromBase32(secret) })

/** 80 random bits, in four groups that are easy to type. */
const newRecoveryCode = (): string => new Secret({ buffer: bufferOf(10) }).base32.match(/.{4}/g)!.join('-')

function bufferOf(length: number): ArrayBuffer {
  const bytes = new Uint8Array(length)
  crypto.getRandomValues(bytes)
  return bytes.buffer
}

const countTry = `
  UPDATE staff_challenges AS challenge SET failures = failures + 1 FROM staff
  WHERE key_hash = $1 AND expires_at > $2 AND staff.id = staff_id AND staff.enabled
  RETURNING staff_id, username, totp_secret, is_weak`

const triesSince = 'SELECT sum(failures) AS tries FROM staff_challenges WHERE staff_id = $1 AND created_at > $2'

/** A code that was seen by somebody else cannot be used again (RFC 6238 section 5.2). */
const useStep = `UPDATE staff SET totp_step = $2 WHERE id = $1 AND (totp_step IS NULL OR totp_step < $2) RETURNING id`
