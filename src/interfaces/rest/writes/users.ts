import { loginSteps, removeLogin } from '../../../billing/accounts/login-writes.ts'
import { RecordWriter } from '../../../platform/records/record-writer.ts'
import { users } from '../models/users.ts'
import type { RestParts } from '../parts.ts'
import { type Writes, writesThrough } from './writes.ts'

/** Writes of Users. */
export function userWrites(parts: RestParts): Writes {
  const writes = writesThrough(parts, users, new RecordWriter(parts, users, loginSteps(parts)))
  return { ...writes, remove: (call, id) => removeLogin(parts, call, id, () => writes.remove(call, id)) }
}
