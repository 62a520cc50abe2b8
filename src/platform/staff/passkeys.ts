import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
  VerifyAuthenticationResponseOpts,
  VerifyRegistrationResponseOpts,
} from '@simplewebauthn/server'
import type { StaffId } from '../../domain/ids.ts'
import type { Clock } from '../actors/clock.ts'
import { membersOf, parseJson } from '../formats/json.ts'
import type { Call } from '../http/call.ts'
import { originOf } from '../http/csrf.ts'
import { isProvenOrWasBefore } from './password-lock.ts'
import type { Queries } from './staff-table.ts'
import { latePackages } from '../late-packages.ts'

const terms = {
  challengeMs: 5 * 60_000,
  /** Challenges of one user that wait at a time; the oldest gives way. */
  challengesMax: 10,
  passkeysMax: 20,
  /** ES256, EdDSA, RS256: what devices and security keys offer. */
  algorithms: [-7, -8, -257],
} as const

/** How a browser reaches a passkey. It says so itself, so other words are left out. */
const transportWords = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const
type Transport = (typeof transportWords)[number]

/** The site that a passkey is made for and asked by: a page on any other host cannot ask for it. */
export type RelyingParty = { readonly origin: string; readonly id: string }

/** TOLLGATE_PUBLIC_URL says it, else the host that the request was sent to. Null: that is no host. */
export function relyingParty(call: Pick<Call, 'header' | 'secure'>, publicOrigin: string | null): RelyingParty | null {
  const origin = publicOrigin ?? originOf(`${call.secure ? 'https' : 'http'}://${call.header('host')}`)
  return origin === null ? null : { origin, id: new URL(origin).hostname }
}

/** Why a passkey is asked to sign: to be added, to confirm a step, or the key hash of the sign-in that waits for it. */
export type Purpose = string

export type NewPasskey = {
  readonly credentialId: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  /** Of its owner as it was while the challenge waited, which a new password ends. */
  readonly passwordHash: string
}

/** `counterWentBack`: the signature is right, but a copy of the passkey seems to be in use (WebAuthn section 6.1.1). */
export type PasskeyCheck = 'right' | 'wrong' | 'counterWentBack'

/** Passkeys of staff (WebAuthn), which are rows of staff_passkeys. What browsers answer comes as parsed JSON. */
export class Passkeys {
  readonly #database: Queries
  readonly #clock: Clock

  constructor({ database, clock }: { readonly database: Queries; readonly clock: Clock }) {
    this.#database = database
    this.#clock = clock
  }

  /** Null: the password whose hash was checked has been changed since. */
  async optionsToAdd(
    staffId: StaffId,
    username: string,
    passwordHash: string,
    party: RelyingParty,
  ): Promise<PublicKeyCredentialCreationOptionsJSON | null> {
    const { generateRegistrationOptions } = await latePackages.webAuthn()
    const options = await generateRegistrationOptions({
      rpName: 'Tollgate',
      rpID: party.id,
      userName: username,
      userID: Uint8Array.from(Buffer.from(`staff ${staffId}`)),
      timeout: terms.challengeMs,
      excludeCredentials: await this.#credentials(staffId),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      supportedAlgorithmIDs: [...terms.algorithms],
    })
    return (await this.#remember(options.challenge, staffId, 'add', passwordHash)) ? options : null
  }

  /** Null: the answer is not one to options of ours, was sent before, or comes from another site. */
  async verifyNew(staffId: StaffId, response: unknown, { origin, id }: RelyingParty): Promise<NewPasskey | null> {
    const taken = await this.#take(staffId, 'add', response)
    if (!taken) return null
    const { challenge, passwordHash } = taken
    const registration = await registered({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...terms.algorithms],
    })
    if (!registration) return null
    const { id: credentialId, publicKey, counter, transports = [] } = registration.credential
    const known = transportWords.filter((word) => (transports as readonly unknown[]).includes(word))
    return { credentialId, publicKey: Buffer.from(publicKey), counter, transports: known, passwordHash }
  }

  /** The id of the new row. Null: the user has as many as one may have, or somebody has this one. */
  async insert(client: Queries, staffId: StaffId, name: string, passkey: NewPasskey): Promise<number | null> {
    const { credentialId, publicKey, counter, transports } = passkey
    const values = [staffId, name, credentialId, publicKey, counter, transports, terms.passkeysMax]
    const { rows } = await client.query(insertPasskey, values)
    return rows[0] ? Number(rows[0].id) : null
  }

  /** Null: the user has no passkey. */
  async optionsToSign(
    staffId: StaffId,
    purpose: Purpose,
    party: RelyingParty,
  ): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
    const allowCredentials = await this.#credentials(staffId)
    if (allowCredentials.length === 0) return null
    const { generateAuthenticationOptions } = await latePackages.webAuthn()
    const options = await generateAuthenticationOptions({
      rpID: party.id,
      allowCredentials,
      timeout: terms.challengeMs,
      userVerification: 'preferred',
    })
    await this.#remember(options.challenge, staffId, purpose, null)
    return options
  }

  /** Whether one of the user's passkeys has signed a challenge of this purpose, which no other answer can use then. */
  async check(
    staffId: StaffId,
    purpose: Purpose,
    response: unknown,
    { origin, id }: RelyingParty,
  ): Promise<PasskeyCheck> {
    const taken = await this.#take(staffId, purpose, response)
    const { id: credentialId } = membersOf(response)
    if (!taken || typeof credentialId !== 'string' || !credentialForm.test(credentialId)) return 'wrong'
    const { rows } = await this.#database.query(selectPasskey, [staffId, credentialId])
    const [row] = rows
    if (!row) return 'wrong'
    const counter = await signed({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: taken.challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      // The counter is compared below, by the statement that stores it: two answers at once cannot both be taken.
      credential: { id: credentialId, publicKey: Uint8Array.from(row.public_key as Buffer), counter: 0 },
    })
    if (counter === null) return 'wrong'
    const used = await this.#database.query(usePasskey, [row.id, counter, this.#clock.now()])
    return used.rows.length > 0 ? 'right' : 'counterWentBack'
  }

  async #credentials(staffId: StaffId): Promise<{ id: string; transports: Transport[] }[]> {
    const text = 'SELECT credential_id, transports FROM staff_passkeys WHERE staff_id = $1 ORDER BY id'
    const { rows } = await this.#database.query(text, [staffId])
    return rows.map((row) => ({ id: String(row.credential_id), transports: row.transports as Transport[] }))
  }

  /** False: the password is another one than that of the hash. Null stands for a step that asks for none. */
  async #remember(
    challenge: string,
    staffId: StaffId,
    purpose: Purpose,
    passwordHash: string | null,
  ): Promise<boolean> {
    const now = this.#clock.now()
    const expires = new Date(now.getTime() + terms.challengeMs)
    const values = [challenge, staffId, purpose, expires, passwordHash]
    const { rows } = await this.#database.query(insertChallenge, values)
    await this.#database.query(sweepChallenges, [now, staffId, terms.challengesMax])
    return rows.length > 0
  }

  /** The challenge that the answer names, if it waits for one of this user and purpose; it is used up by this. */
  async #take(staffId: StaffId, purpose: Purpose, response: unknown): Promise<Taken | null> {
    const challenge = challengeOf(response)
    if (challenge === null) return null
    const { rows } = await this.#database.query(takeChallenge, [challenge, staffId, purpose, this.#clock.now()])
    return rows[0] ? { challenge, passwordHash: String(rows[0].password_hash) } : null
  }
}

type Taken = { readonly challenge: string; readonly passwordHash: string }

type Registration = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

/** Null: it is not valid. The library throws for everything that is wrong with an answer. */
async function registered(options: VerifyRegistrationResponseOpts): Promise<Registration | null> {
  const { verifyRegistrationResponse } = await latePackages.webAuthn()
  const { decodeAttestationObject, isoBase64URL } = await latePackages.webAuthnHelpers()
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(options.response.response.attestationObject))
    // Certificates are not asked for, and to check one could mean to fetch from an address that it names.
    if (attestation.get('attStmt').get('x5c') !== undefined) return null
    const { registrationInfo } = await verifyRegistrationResponse(options)
    return registrationInfo && credentialForm.test(registrationInfo.credential.id) ? registrationInfo : null
  } catch {
    return null
  }
}

/** The counter of the device; null: the answer is not valid. */
async function signed(options: VerifyAuthenticationResponseOpts): Promise<number | null> {
  const { verifyAuthenticationResponse } = await latePackages.webAuthn()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse(options)
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

/** Of 32 bytes. */
const challengeForm = /^[\w-]{43}$/
/** Of at most 1023 bytes (WebAuthn section 4). */
const credentialForm = /^[\w-]{1,1364}$/
/** Real answers have some hundred characters in each member. */
const memberMax = 8_192

function challengeOf(response: unknown): string | null {
  const members = membersOf(membersOf(response).response)
  const { clientDataJSON: sent } = members
  const isLong = Object.values(members).some((value) => typeof value === 'string' && value.length > memberMax)
  if (typeof sent !== 'string' || isLong) return null
  const parsed = parseJson(Buffer.from(sent, 'base64url'))
  if (parsed.kind === 'refused') return null
  const { challenge } = membersOf(parsed.value)
  return typeof challenge === 'string' && challengeForm.test(challenge) ? challenge : null
}

const insertPasskey = `
  INSERT INTO staff_passkeys (staff_id, name, credential_id, public_key, counter, transports)
  SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM staff_passkeys WHERE staff_id = $1) < $7
  ON CONFLICT (credential_id) DO NOTHING RETURNING id`

const selectPasskey = 'SELECT id, public_key FROM staff_passkeys WHERE staff_id = $1 AND credential_id = $2'

/** A device that does not count sends 0 always; any other counter must grow. */
const usePasskey = `
  UPDATE staff_passkeys SET counter = $2, used_at = $3
  WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING id`

const insertChallenge = `
  INSERT INTO staff_passkey_challenges (challenge, staff_id, purpose, expires_at)
  SELECT $1, id, $3, $4 FROM staff WHERE ${isProvenOrWasBefore('$2', '$5')} FOR SHARE
  RETURNING 1`

const sweepChallenges = `
  DELETE FROM staff_passkey_challenges WHERE expires_at < $1 OR challenge IN (
    SELECT challenge FROM staff_passkey_challenges WHERE staff_id = $2 ORDER BY expires_at DESC, challenge OFFSET $3)`

const takeChallenge = `
  DELETE FROM staff_passkey_challenges USING staff
  WHERE challenge = $1 AND staff_id = $2 AND purpose = $3 AND expires_at > $4 AND staff.id = staff_id
  RETURNING password_hash`
