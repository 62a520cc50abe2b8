import { readId } from '../../../../domain/ids.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { isSet } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { Model } from '../../../../platform/records/model.ts'
import { findRecord } from '../../../../platform/records/reads.ts'
import { type RecordParts, RecordWriter } from '../../../../platform/records/record-writer.ts'
import { isRefusal } from '../../../../platform/records/refusals.ts'
import { searchRecords } from '../../../../platform/records/search.ts'
import { notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading } from '../../../../platform/storage/transactions.ts'
import { deletesUnnamed, type Fields, readBody, refusalWithout } from '../../body.ts'
import { get, post, remove } from '../../doors.ts'
import { pageReply, readPage } from '../../paging.ts'
import { replyToRefusal } from '../../write-refusals.ts'
import { type Dictionary, docsOf } from './description.ts'

/** `/admin/dictionary/<name>_crud/[<id>/]` of one dictionary (contract section 5). */
export function dictionaryRoutes(parts: RecordParts, dictionary: Dictionary): Route[] {
  const { model, listedAt, steps, readId: readKey = readId } = dictionary
  const path = `/admin/dictionary/${model.name}_crud`
  const one = `${path}/:id`
  const docs = docsOf(dictionary)
  const writer = new RecordWriter(parts, model, steps)
  const { read: right, isShared = false, ...rights } = model.rights ?? recordRights.usual
  const read = { right }
  const write = (kind: keyof typeof rights) => ({ right: rights[kind], forAllOrganizations: isShared })
  const lists = [path, ...(listedAt === undefined ? [] : [listedAt])]
  const removeOne = async (call: Call, id: string) => {
    const refused = await writer.remove(call, id, visibleTo(call))
    return refused ? replyToRefusal(refused, { fields: model.fields }) : json({ ok: true })
  }
  const create = async (call: Call) => {
    const body = readBody(call)
    if ('refused' in body) return body.refused
    return deletesUnnamed(body.fields) ?? save(parts, dictionary, writer, call, null, body.fields)
  }
  const changeOne = async (call: Call, id: string) => {
    const body = readBody(call)
    if ('refused' in body) return body.refused
    if (!isSet(body.fields._delete)) return save(parts, dictionary, writer, call, id, body.fields)
    const refused = refusalWithout(rights.remove, call.staff)
    if (refused) return refused
    const shown = await show(parts, model, call, id)
    const removed = shown.status === 200 ? await removeOne(call, id) : shown
    return removed.status === 200 ? shown : removed
  }
  const withId = (work: (call: Call, id: string) => Promise<Reply>) => (call: Call) => {
    const id = readKey(call.params.id)
    return id === null ? notFoundReply() : work(call, String(id))
  }
  return [
    ...lists.map((address) => get(address, docs.list, (call) => list(parts, dictionary, call), read)),
    get(
      one,
      docs.one,
      withId((call, id) => show(parts, model, call, id)),
      read,
    ),
    post(path, docs.create, create, write('create')),
    post(one, docs.change, withId(changeOne), write('change')),
    remove(one, docs.remove, withId(removeOne), write('remove')),
  ]
}

async function list(
  parts: RecordParts,
  { model, order, isOrderUnique, searched }: Dictionary,
  call: Call,
): Promise<Reply> {
  const page = readPage(call.query)
  if ('refused' in page) return page.refused
  const search = { text: (call.query.get('q') ?? '').slice(0, 200), searched, order, isOrderUnique, ...page }
  const { items, total } = await reading(parts, (client) => searchRecords(client, model, search, visibleTo(call)))
  return pageReply(items, total, page)
}

async function show(parts: RecordParts, model: Model, call: Call, id: string): Promise<Reply> {
  const record = await reading(parts, (client) => findRecord(client, model, id, visibleTo(call)))
  return record ? json({ ok: true, ...record }) : notFoundReply()
}

async function save(
  parts: RecordParts,
  { model, remarks }: Dictionary,
  writer: RecordWriter,
  call: Call,
  id: string | null,
  fields: Fields,
): Promise<Reply> {
  const saved = await writer.save(call, id, fields, visibleTo(call))
  if (isRefusal(saved)) return replyToRefusal(saved, { fields: model.fields })
  const { after, remarks: added } = saved
  return json({
    ok: true,
    ...after,
    ...added,
    ...(remarks && (await reading(parts, (client) => remarks(client, after)))),
  })
}
