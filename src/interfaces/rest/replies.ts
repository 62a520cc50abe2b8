import type { Call, Reply } from '../../platform/http/call.ts'
import { json, jsonText } from '../../platform/http/reply.ts'
import type { Model } from '../../platform/records/model.ts'
import { readOnlyFields, readRecord } from '../../platform/records/reads.ts'
import { notFound, type Refusal } from '../../platform/records/refusals.ts'
import { reading, type TransactionScope } from '../../platform/storage/transactions.ts'

export function refusalReply(refusal: Refusal): Reply {
  if ('errors' in refusal) return json(refusal.errors, refusal.status)
  // A 400 has `detail` only for a body that cannot be read, as in Django REST framework.
  const isOfRecord = refusal.status === 400 && refusal.code !== undefined
  return json(isOfRecord ? { non_field_errors: [refusal.detail] } : { detail: refusal.detail }, refusal.status)
}

export async function recordReply(
  scope: TransactionScope,
  model: Model,
  id: string,
  status: number,
  call: Call,
): Promise<Reply> {
  const record = await reading(scope, (client) => readRecord(client, model, id, readOnlyFields(call.query)))
  return record === null ? refusalReply(notFound) : jsonText(record, status)
}
