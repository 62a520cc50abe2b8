import { hash } from 'node:crypto'
import { type StaffId, staffId } from '../../domain/ids.ts'
import type { Call } from '../../platform/http/call.ts'
import { usernameForm } from '../../platform/staff/staff-table.ts'
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
  const { log, clock, sessions, throttle, audit } = parts
  const { address } = call
  if (!usernameForm.test(username) || !/^[0-9a-f]{40}$/i.test(sent)) return wrong
  const about = { username, address, requestId: call.id }
  const nowMs = () => clock.now().getTime()
  const made = await throttle.attempt(username, address, nowMs, () => findStaff(parts, username, sent))
  if (made.kind === 'throttled' || made.result === null) {
    log.warn('A SOAP sign-in failed', { ...about, throttled: made.kind === 'throttled' })
    if (made.kind === 'made') {
      await audit.write({ action: 'sign_in_failed', staffId: null, username, address, by: 'soap' }, nowMs())
      return wrong
    }
    const minutes = Math.ceil(made.retryAfterSeconds / 60)
    return fault('Client.TooManyAttempts', `Too many failed sign-ins; try again in ${minutes} minutes.`)
  }
  const { id, sealed } = made.result
  const key = await sessions.start(id, sealed, address)
  await audit.write({ action: 'sign_in', staffId: id, username, address, by: 'soap' }, nowMs())
  log.info('Signed in by SOAP', { ...about, staffId: id })
  return { hash: key }
}

type Found = { readonly id: StaffId; readonly sealed: string }

/** Returns null alike when the user is unknown, disabled or has no SOAP password, and when the hash is wrong. */
async function findStaff(
  { pool, secrets, settings, log }: SoapParts,
  username: string,
  sent: string,
): Promise<Found | null> {
  const text = 'SELECT id, soap_md5 FROM staff WHERE username = $1 AND enabled'
  const [row] = (await pool.query<RowOf<typeof Staff, 'id' | 'soap_md5'>>(text, [username])).rows
  if (!row?.soap_md5) return null
  let md5: string
  try {
    md5 = secrets.open(row.soap_md5)
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error
    log.warn('The SOAP password of a staff user cannot be read; set the password again', { username, error })
    return null
  }
  const expected = hash('sha1', md5 + settings.get('SOAP_HASH_SALT'))
  return isSameText(sent.toLowerCase(), expected) ? { id: staffId(row.id), sealed: row.soap_md5 } : null
}
