import type { TObject, TProperties } from 'typebox'
import { readFields } from '../../platform/http/form.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { refusal } from '../../platform/http/errors.ts'
import { readBySchema, sentenceOf } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'

/** `{status: "ok", …}` */
export const done = (values: Readonly<Record<string, unknown>> = {}): Reply => json({ status: 'ok', ...values })

/** `{status: "error", error, message}`; the code follows the status. */
export const refused = (status: number, sentence: string): Reply => refusal('system', status, sentence)

/** The members of a write, or the refusal of a body that cannot be read. */
export function membersOf(call: Call): { members: Readonly<Record<string, unknown>> } | { reply: Reply } {
  const read = readFields(call)
  return read.kind === 'refused' ? { reply: refused(read.status, read.detail) } : { members: read.fields }
}

/** The fields of a write as its schema reads them, or the refusal of the body or its first wrong field. */
export function fieldsOf<P extends TProperties>(call: Call, { properties }: TObject<P>) {
  const body = membersOf(call)
  if ('reply' in body) return body
  const read = readBySchema(properties, body.members)
  return 'wrong' in read ? { reply: refused(400, sentenceOf(read)) } : { fields: read.values }
}
