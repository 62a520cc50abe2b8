import { hash } from 'node:crypto'
import { type StaffId, staffId } from '../../domain/ids.ts'
import type { Call } from '../../platform/http/call.ts'
import type { Tried } from '../../platform/passwords/tries.ts'
import { factorModeOf, passwordSuffices } from '../../platform/staff/second-factor-modes.ts'
import { hasSecondFactor, staffOwner, usernameForm } from '../../platform/staff/staff-table.ts'
import type { Staff } from '../../platform/storage/entities/organizations.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { SecretUnreadable } from '../../platform/secrets/secrets.ts'
import { isSameText } from '../../platform/same-text.ts'
import { fault, type SoapFault } from './fault.ts'
import type { Parameters } from './parameters.ts'
import type { SoapParts } from './parts.ts'

const wrong = fault('Client.WrongCredentials', 'Wrong user name or hash.')

/** get_user_hash: starts a session for a caller who knows SHA1(MD5(password) + SOAP_HASH_SALT), both as hex digits. */
export async function getUserHash(
  parts: SoapParts,
  call: Call,
  { username = '', hash: sent = '' }: Parameters,
): Promise<{ hash: string } | SoapFault> {
  const { log, clock, sessions, tries, audit } = parts
  const { address } = call
  if (!usernameForm.test(username) || !/^[0-9a-f]{40}$/i.test(sent)) return wrong
  const about = { username, address, requestId: call.id }
  const nowMs = () => clock.now().getTime()
  const known = await readSoapUser(parts, username, address)
  const owners = known ? [staffOwner(known.id)] : []
  const tried: Tried = { entrance: 'soap', address, owners, name: username, hasSession: known?.hasSession ?? false }
  const made = await tries.attempt(tried, async () => (known && isHashOf(parts, known, sent) ? known : null))
  if (made.kind === 'throttled' || made.result === null) {
    log.warn('A SOAP sign-in failed', { ...about, throttled: made.kind === 'throttled' })
    if (made.kind === 'made') {
      await audit.write({ action: 'sign_in_failed', staffId: null, username, address, by: 'soap' }, nowMs())
      return wrong
    }
    const { retryAfterSeconds } = made
    const text = `Too many failed sign-ins; try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`
    return { ...fault('Client.TooManyAttempts', text), retryAfterSeconds }
  }
  const { id, sealed, needsFactor } = made.result
  if (needsFactor)
    return fault('Client.SecondFactor', 'This user has a second factor; a program needs a user of its own without one.')
  const key = await sessions.start(id, sealed, address)
  await audit.write({ action: 'sign_in', staffId: id, username, address, by: 'soap' }, nowMs())
  log.info('Signed in by SOAP', { ...about, staffId: id })
  return { hash: key }
}

type SoapUser = {
  readonly id: StaffId
  readonly username: string
  /** The MD5 of the password, as stored. */
  readonly sealed: string
  /** A second factor is asked for, which a program cannot have. */
  readonly needsFactor: boolean
  /** Whether a SOAP session from the address that asks is stored: the cash desk is known there after a restart too. */
  readonly hasSession: boolean
}

type FoundRow = RowOf<typeof Staff, 'id' | 'soap_md5' | 'is_superuser' | 'role'> & {
  has_factor: boolean
  has_session: boolean
}

/** Null alike when the user is unknown, disabled or has no SOAP password. */
async function readSoapUser(
  { pool, settings }: SoapParts,
  username: string,
  address: string,
): Promise<SoapUser | null> {
  const text = `SELECT id, soap_md5, is_superuser, role, ${hasSecondFactor()} AS has_factor,
      EXISTS (SELECT FROM soap_sessions WHERE staff_id = staff.id AND address = $2) AS has_session
    FROM staff WHERE username = $1 AND enabled AND soap`
  const [row] = (await pool.query<FoundRow>(text, [username, address])).rows
  if (!row?.soap_md5) return null
  const mode = factorModeOf(settings.get('STAFF_SECOND_FACTOR'), { isSuperuser: row.is_superuser, role: row.role })
  const needsFactor = !passwordSuffices(mode, row.has_factor, true)
  return { id: staffId(row.id), username, sealed: row.soap_md5, needsFactor, hasSession: row.has_session }
}

function isHashOf({ secrets, settings, log }: SoapParts, { username, sealed }: SoapUser, sent: string): boolean {
  try {
    const expected = hash('sha1', secrets.open(sealed) + settings.get('SOAP_HASH_SALT'))
    return isSameText(sent.toLowerCase(), expected)
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error
    log.warn('The SOAP password of a staff user cannot be read; set the password again', { username, error })
    return false
  }
}
