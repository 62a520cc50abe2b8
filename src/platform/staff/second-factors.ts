import { hash, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type StaffId, staffId as staffIdOf } from '../../domain/ids.ts'
import type { Clock } from '../actors/clock.ts'
import { SecretUnreadable, type Secrets } from '../secrets/secrets.ts'
import { Passkeys, type Purpose, type RelyingParty } from './passkeys.ts'
import { isProven, isProvenOrWasBefore } from './password-lock.ts'
import { renewRecoveryCodes, takeRecoveryCode } from './recovery-codes.ts'
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
  /** How long a stored proposal waits for the first code. */
  proposalMs: 10 * 60_000,
} as const

type FactorParts = {
  readonly database: Queries
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  /** STAFF_SECOND_FACTOR. */
  readonly setting: () => string
}

/** What is shown as a second factor. */
export type Proof =
  /** Of an application, or a recovery code. */
  | { readonly kind: 'code'; readonly code: string }
  /** What the browser has answered, as parsed JSON. */
  | { readonly kind: 'passkey'; readonly response: unknown; readonly party: RelyingParty }

type Way = 'code' | 'recovery code' | 'passkey' | 'passkey whose counter went back'

export type FactorAnswer =
  | {
      readonly kind: 'right'
      readonly staffId: StaffId
      readonly username: string
      /** As it was when the sign-in still waited, which a new password ends. */
      readonly passwordHash: string
      readonly isWeak: boolean
      readonly by: Way
    }
  | { readonly kind: 'wrong'; readonly staffId: StaffId; readonly username: string; readonly by: Way }
  /** The sign-in has waited too long. */
  | { readonly kind: 'over' }
  | TooManyCodes

/** A secret for an application, and the address that a QR code shows to it. */
export type Proposal = { readonly secret: string; readonly uri: string }

/** Wrong codes were too many, so nothing is checked for a while. */
export type TooManyCodes = { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

export type Enrolment =
  /** The recovery codes are shown once. */
  | { readonly kind: 'enrolled'; readonly codes: readonly string[] }
  | { readonly kind: 'wrong' }
  /** Nothing was proposed, or it has waited too long. */
  | { readonly kind: 'over' }
  | TooManyCodes

/** Codes of an application (TOTP, RFC 6238), passkeys and recovery codes, asked for after the password. */
export class SecondFactors {
  readonly passkeys: Passkeys
  readonly #parts: FactorParts

  constructor(parts: FactorParts) {
    this.#parts = parts
    this.passkeys = new Passkeys(parts)
  }

  modeOf(staff: { isSuperuser: boolean; role: string }): FactorMode {
    return factorModeOf(this.#parts.setting(), staff)
  }

  /**
   * Begins to wait for the second factor of somebody whose password was right; the key goes to the browser. While
   * codes are refused none is begun, so that who tries again does not put the end off. `over`: the password whose hash
   * was checked has been changed since. Null stands for somebody who is signed in.
   */
  async begin(
    staffId: StaffId,
    isWeak: boolean,
    passwordHash: string | null,
  ): Promise<{ kind: 'begun'; challenge: string } | { kind: 'over' } | TooManyCodes> {
    const key = randomBytes(32).toString('hex')
    const nowMs = this.#nowMs()
    const { tries, endsInMs } = await this.#triesOf(staffId, nowMs)
    if (tries >= terms.failuresMax) return throttledFor(endsInMs)
    await this.#parts.database.query('DELETE FROM staff_challenges WHERE created_at < $1', [
      new Date(nowMs - terms.windowMs),
    ])
    const expires = new Date(nowMs + terms.challengeMs)
    const values = [hash('sha256', key), staffId, isWeak, new Date(nowMs), expires, passwordHash]
    const { rows } = await this.#parts.database.query(insertChallenge, values)
    return rows.length === 0 ? { kind: 'over' } : { kind: 'begun', challenge: key }
  }

  /** Checks a code or a passkey, which counts for one sign-in only. */
  answer(key: string, proof: Proof): Promise<FactorAnswer> {
    return this.#answer(hash('sha256', key), proof)
  }

  /** Checks a code or a passkey of somebody who is signed in. Wrong ones count as at the sign-in. */
  async confirm(staffId: StaffId, proof: Proof): Promise<FactorAnswer> {
    const begun = await this.begin(staffId, false, null)
    return begun.kind === 'begun' ? this.#answer(hash('sha256', begun.challenge), proof, 'confirm') : begun
  }

  async #answer(keyHash: string, proof: Proof, purpose: Purpose = keyHash): Promise<FactorAnswer> {
    const waiting = await this.#count(keyHash)
    if (waiting.kind !== 'waiting') return waiting
    const { staffId, username, passwordHash, isWeak } = waiting
    const { isRight, by } = await this.#check(waiting, proof, purpose)
    if (!isRight) return { kind: 'wrong', staffId, username, by }
    await this.#parts.database.query('DELETE FROM staff_challenges WHERE staff_id = $1', [staffId])
    return { kind: 'right', staffId, username, passwordHash, isWeak, by }
  }

  async #check(waiting: Waiting, proof: Proof, purpose: Purpose): Promise<{ isRight: boolean; by: Way }> {
    const { staffId } = waiting
    if (proof.kind === 'passkey') {
      const checked = await this.passkeys.check(staffId, purpose, proof.response, proof.party)
      const by = checked === 'counterWentBack' ? 'passkey whose counter went back' : 'passkey'
      return { isRight: checked === 'right', by }
    }
    const code = proof.code.replace(/[\s-]/g, '')
    if (/^\d{6}$/.test(code)) return { isRight: await this.#takeTotp(waiting, code), by: 'code' }
    return { isRight: await takeRecoveryCode(this.#parts.database, staffId, code), by: 'recovery code' }
  }

  /** What the passkeys of a waiting sign-in are to sign. Null: it waits no longer, or the user has none. */
  async passkeyOptions(key: string, party: RelyingParty) {
    const keyHash = hash('sha256', key)
    const { rows } = await this.#parts.database.query(selectWaiting, [keyHash, new Date(this.#nowMs())])
    return rows[0] ? await this.passkeys.optionsToSign(staffIdOf(rows[0].staff_id as string), keyHash, party) : null
  }

  /** Whether the user of a waiting sign-in has a passkey. */
  async hasPasskeys(key: string): Promise<boolean> {
    const values = [hash('sha256', key), new Date(this.#nowMs())]
    const { rows } = await this.#parts.database.query(selectWaiting, values)
    return rows[0]?.has_passkeys === true
  }

  /**
   * Stores a new secret for an application until its owner shows a code of it. Null: the password whose hash was
   * checked has been changed since, which ends what was proposed.
   */
  async propose(staffId: StaffId, username: string, passwordHash: string): Promise<Proposal | null> {
    const secret = new Secret({ size: terms.secretBytes }).base32
    const proposal = { secret, uri: totpOf(secret, username).toString() }
    const expires = new Date(this.#nowMs() + terms.proposalMs)
    const values = [staffId, this.#parts.secrets.seal(proposal.secret), expires, passwordHash]
    const { rows } = await this.#parts.database.query(storeProposal, values)
    return rows.length > 0 ? proposal : null
  }

  /** Sets up the proposed secret if the code is one of it. Tries are counted before they are checked. */
  async enrol(client: Queries, staffId: StaffId, code: string): Promise<Enrolment> {
    const nowMs = this.#nowMs()
    const [counted] = (await client.query(countProposalTry, [staffId, new Date(nowMs), terms.failuresMax])).rows
    const secret = counted && this.#opened(counted.totp_secret as string)
    const codes = secret ? await this.#setUp(client, staffId, secret, code) : null
    if (codes) {
      await client.query('DELETE FROM staff_totp_proposals WHERE staff_id = $1', [staffId])
      return { kind: 'enrolled', codes }
    }
    if (counted) return { kind: 'wrong' }
    const text = 'SELECT expires_at FROM staff_totp_proposals WHERE staff_id = $1 AND expires_at > $2'
    const [locked] = (await client.query(text, [staffId, new Date(nowMs)])).rows
    return locked ? throttledFor((locked.expires_at as Date).getTime() - nowMs) : { kind: 'over' }
  }

  /** The recovery codes that come with the secret. Null: the code is wrong. */
  async #setUp(client: Queries, staffId: StaffId, secret: string, code: string): Promise<readonly string[] | null> {
    const step = this.#stepOf(secret, code.replace(/\s/g, ''))
    if (step === null) return null
    const sealed = this.#parts.secrets.seal(secret)
    await client.query('UPDATE staff SET totp_secret = $2, totp_step = $3 WHERE id = $1', [staffId, sealed, step])
    return await renewRecoveryCodes(client, staffId)
  }

  /** Counts a try before it is checked, so that of parallel ones no more are checked than may fail. */
  async #count(keyHash: string): Promise<Waiting | Exclude<FactorAnswer, { kind: 'right' | 'wrong' }>> {
    const nowMs = this.#nowMs()
    const { rows } = await this.#parts.database.query(countTry, [keyHash, new Date(nowMs)])
    const row = rows[0]
    if (!row) return { kind: 'over' }
    const staffId = staffIdOf(row.staff_id as string)
    const { tries, endsInMs } = await this.#triesOf(staffId, nowMs)
    if (tries > terms.failuresMax) return throttledFor(endsInMs)
    const { username, password_hash: passwordHash, totp_secret: sealed, is_weak: isWeak } = row
    return {
      kind: 'waiting',
      staffId,
      username: String(username),
      passwordHash: String(passwordHash),
      sealed: sealed as string | null,
      isWeak: isWeak === true,
    }
  }

  /** Tries of a staff user within the window, and when the last sign-in that had one leaves it. */
  async #triesOf(staffId: StaffId, nowMs: number): Promise<{ tries: number; endsInMs: number }> {
    const [tried] = (await this.#parts.database.query(triesSince, [staffId, new Date(nowMs - terms.windowMs)])).rows
    const lastMs = (tried!.last as Date | null)?.getTime() ?? nowMs
    return { tries: Number(tried!.tries), endsInMs: lastMs + terms.windowMs - nowMs }
  }

  async #takeTotp({ staffId, sealed }: Waiting, code: string): Promise<boolean> {
    const secret = sealed === null ? null : this.#opened(sealed)
    const step = secret === null ? null : this.#stepOf(secret, code)
    if (step === null) return false
    const { rows } = await this.#parts.database.query(useStep, [staffId, step])
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

/** Takes every second factor and the recovery codes from a staff user, as when the phone is lost. */
export async function removeSecondFactors(client: Queries, id: StaffId): Promise<void> {
  await client.query('UPDATE staff SET totp_secret = NULL WHERE id = $1', [id])
  await client.query('DELETE FROM staff_passkeys WHERE staff_id = $1', [id])
  await client.query('DELETE FROM staff_recovery_codes WHERE staff_id = $1', [id])
}

type Waiting = {
  kind: 'waiting'
  staffId: StaffId
  username: string
  passwordHash: string
  sealed: string | null
  isWeak: boolean
}

const throttledFor = (ms: number): TooManyCodes => ({
  kind: 'throttled',
  retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
})

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Tollgate', label, period: terms.codeSeconds, secret: Secret.fromBase32(secret) })

const selectWaiting = `
  SELECT staff_id, EXISTS (SELECT FROM staff_passkeys WHERE staff_id = staff.id) AS has_passkeys
  FROM staff_challenges JOIN staff ON staff.id = staff_id WHERE key_hash = $1 AND expires_at > $2 AND enabled`

const insertChallenge = `
  INSERT INTO staff_challenges (key_hash, staff_id, is_weak, created_at, expires_at)
  SELECT $1, id, $3, $4, $5 FROM staff WHERE ${isProvenOrWasBefore('$2', '$6')} FOR SHARE
  RETURNING 1`

const countTry = `
  UPDATE staff_challenges AS challenge SET failures = failures + 1 FROM staff
  WHERE key_hash = $1 AND expires_at > $2 AND staff.id = staff_id AND staff.enabled
  RETURNING staff_id, username, password_hash, totp_secret, is_weak`

const triesSince = `SELECT coalesce(sum(failures), 0) AS tries, max(created_at) FILTER (WHERE failures > 0) AS last
  FROM staff_challenges WHERE staff_id = $1 AND created_at > $2`

const storeProposal = `INSERT INTO staff_totp_proposals (staff_id, totp_secret, expires_at)
  SELECT id, $2, $3 FROM staff WHERE ${isProven('$1', '$4')} FOR SHARE
  ON CONFLICT (staff_id) DO UPDATE SET totp_secret = excluded.totp_secret, expires_at = excluded.expires_at, failures = 0
  RETURNING 1`

const countProposalTry = `UPDATE staff_totp_proposals SET failures = failures + 1
  WHERE staff_id = $1 AND expires_at > $2 AND failures < $3 RETURNING totp_secret`

/** A code that was seen by somebody else cannot be used again (RFC 6238 section 5.2). */
const useStep = `UPDATE staff SET totp_step = $2 WHERE id = $1 AND (totp_step IS NULL OR totp_step < $2) RETURNING id`
