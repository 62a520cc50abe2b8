import { hash, randomBytes } from 'node:crypto'
import { Secret } from 'otpauth'
import type { StaffId } from '../../domain/ids.ts'
import type { Queries } from './staff-table.ts'

const codesPerUser = 10
const codeBytes = 10

/** Each of the new codes signs in once in place of an application or a passkey; the old ones are void. */
export async function renewRecoveryCodes(client: Queries, staffId: StaffId): Promise<readonly string[]> {
  const codes = Array.from({ length: codesPerUser }, newRecoveryCode)
  await client.query('DELETE FROM staff_recovery_codes WHERE staff_id = $1', [staffId])
  await client.query('INSERT INTO staff_recovery_codes (staff_id, code_hash) SELECT $1, unnest($2::text[])', [
    staffId,
    codes.map((code) => hash('sha256', code.replaceAll('-', ''))),
  ])
  return codes
}

export async function recoveryCodesLeft(client: Queries, staffId: StaffId): Promise<number> {
  const text = 'SELECT count(*) AS count FROM staff_recovery_codes WHERE staff_id = $1'
  const { rows } = await client.query(text, [staffId])
  return Number(rows[0]!.count)
}

/** Whether the code, without its dashes, is one of the user's; it is spent then. */
export async function takeRecoveryCode(client: Queries, staffId: StaffId, code: string): Promise<boolean> {
  const text = 'DELETE FROM staff_recovery_codes WHERE staff_id = $1 AND code_hash = $2 RETURNING 1'
  const { rows } = await client.query(text, [staffId, hash('sha256', code.toUpperCase())])
  return rows.length > 0
}

/** 80 random bits, in four groups that are easy to type. */
function newRecoveryCode(): string {
  const { buffer } = Uint8Array.from(randomBytes(codeBytes))
  return new Secret({ buffer }).base32.match(/.{4}/g)!.join('-')
}
