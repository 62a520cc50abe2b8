import { readFields } from '../../platform/http/form.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { refusal } from '../../platform/http/errors.ts'
import { json } from '../../platform/http/reply.ts'

/** `{status: "ok", …}` */
export const done = (values: Readonly<Record<string, unknown>> = {}): Reply => json({ status: 'ok', ...values })

/** `{status: "error", error, message}`; the code follows the status. */
export const refused = (status: number, sentence: string): Reply => refusal('system', status, sentence)

/** The fields of a write, or the refusal of a body that cannot be read. */
export function fieldsOf(call: Call): { fields: Readonly<Record<string, unknown>> } | { reply: Reply } {
  const read = readFields(call)
  return read.kind === 'refused' ? { reply: refused(read.status, read.detail) } : { fields: read.fields }
}
