import type { Call, Reply } from '../../../platform/http/call.ts'
import { noContent } from '../../../platform/http/reply.ts'
import type { Model } from '../../../platform/records/model.ts'
import type { RecordWriter } from '../../../platform/records/record-writer.ts'
import { isRefusal } from '../../../platform/records/refusals.ts'
import { readBody } from '../body.ts'
import type { RestParts } from '../parts.ts'
import { recordReply, refusalReply } from '../replies.ts'

/** The handlers of a model's writes. */
export type Writes = {
  readonly create: (call: Call) => Promise<Reply>
  /** Handles PUT and PATCH: both change only the fields that the body names. */
  readonly change: (call: Call, id: string) => Promise<Reply>
  readonly remove: (call: Call, id: string) => Promise<Reply>
}

/** Handlers that save and remove records through a writer and answer as REST does. */
export function writesThrough(parts: RestParts, model: Model, writer: Pick<RecordWriter, 'save' | 'remove'>): Writes {
  const save = async (call: Call, id: string | null): Promise<Reply> => {
    const body = readBody(call)
    if (isRefusal(body)) return refusalReply(body)
    const saved = await writer.save(call, id, body.body)
    if (isRefusal(saved)) return refusalReply(saved)
    return recordReply(parts, model, saved.id, id === null ? 201 : 200, call)
  }
  return {
    create: (call) => save(call, null),
    change: save,
    remove: async (call, id) => {
      const refusal = await writer.remove(call, id)
      return refusal ? refusalReply(refusal) : noContent()
    },
  }
}
