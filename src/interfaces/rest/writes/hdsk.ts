import type { Call, Reply } from '../../../platform/http/call.ts'
import { jsonText } from '../../../platform/http/reply.ts'
import { readRecord } from '../../../platform/records/reads.ts'
import { isRefusal, notFound } from '../../../platform/records/refusals.ts'
import { readValues } from '../../../platform/records/values.ts'
import type { HdskMessage } from '../../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { writing } from '../../../platform/storage/transactions.ts'
import { readBody } from '../body.ts'
import { hdskMessage } from '../models/hdsk.ts'
import type { RestParts } from '../parts.ts'
import { refusalReply } from '../replies.ts'

/** POST /rest_api/v2/Hdsk/<id>/messages/ {body}: adds a reply of the staff and answers with the message. */
export async function addMessage(parts: RestParts, call: Call, ticket: string): Promise<Reply> {
  const body = readBody(call)
  if (isRefusal(body)) return refusalReply(body)
  const read = readValues(hdskMessage, body.body, null)
  if (isRefusal(read)) return refusalReply(read)
  const message = await writing(parts, async (client) => {
    const { rows } = await client.query<RowOf<typeof HdskMessage, 'id'>>(
      `INSERT INTO hdsk_messages (hdsk_id, author, staff_id, body)
       SELECT id, 'staff', $2::int8, $3::text FROM hdsks WHERE id = $1::int8 RETURNING id`,
      [ticket, call.staff?.id ?? null, read.values.get('body')!.value],
    )
    return rows[0] ? readRecord(client, hdskMessage, rows[0].id) : null
  })
  return message === null ? refusalReply(notFound) : jsonText(message, 201)
}
