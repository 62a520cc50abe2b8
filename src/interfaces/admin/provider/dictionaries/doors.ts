import { readId } from '../../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { json } from '../../../../platform/http/reply.ts'
import { authorOf } from '../../../../platform/staff/author.ts'
import { missing, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { type Diff, writeAudit } from '../../../../platform/storage/audit.ts'
import { reading, sqlState, type TransactionScope, writing } from '../../../../platform/storage/transactions.ts'
import { readPage } from '../../paging.ts'
import { checkRelations, readValues } from './body.ts'
import { type Dictionary, isRefused, type Refused, refused, type Shown, type Step, type Values } from './description.ts'
import { docsOf } from './docs.ts'
import { findRecord, insertRecord, listRecords, updateRecord, usesOf } from './records.ts'

/** `/admin/dictionary/<name>_crud/[<id>/]` of one dictionary (contract section 5). */
export function dictionaryRoutes(scope: TransactionScope, dictionary: Dictionary): Route[] {
  const path = `/admin/dictionary/${dictionary.name}_crud`
  const { read, write } = dictionary.rights
  const docs = docsOf(dictionary)
  const door = 'admin'
  const lists = [path, ...(dictionary.listedAt === undefined ? [] : [dictionary.listedAt])]
  return [
    ...lists.map(
      (address): Route => ({
        method: 'GET',
        path: address,
        door,
        right: read,
        doc: docs.list,
        handler: (call) => list(scope, dictionary, call),
      }),
    ),
    {
      method: 'POST',
      path,
      door,
      right: write,
      doc: docs.create,
      handler: (call) => save(scope, dictionary, call, null),
    },
    { method: 'GET', path: `${path}/:id`, door, right: read, doc: docs.one, handler: withId(show) },
    { method: 'POST', path: `${path}/:id`, door, right: write, doc: docs.change, handler: withId(save) },
    { method: 'DELETE', path: `${path}/:id`, door, right: write, doc: docs.remove, handler: withId(remove) },
  ]

  function withId(work: (scope: TransactionScope, dictionary: Dictionary, call: Call, id: number) => Promise<Reply>) {
    return (call: Call) => {
      const id = readId(call.params.id)
      return id === null ? missing() : work(scope, dictionary, call, id)
    }
  }
}

async function list(scope: TransactionScope, dictionary: Dictionary, call: Call): Promise<Reply> {
  const read = readPage(call.query)
  if ('refused' in read) return read.refused
  const { page, perPage } = read
  const wanted = { q: (call.query.get('q') ?? '').slice(0, 200), page, perPage }
  const { items, total } = await reading(scope, (client) => listRecords(client, dictionary, wanted, visibleTo(call)))
  return json({ ok: true, items, total, has_more: page * perPage < total })
}

async function show(scope: TransactionScope, dictionary: Dictionary, call: Call, id: number): Promise<Reply> {
  const record = await reading(scope, (client) => findRecord(client, dictionary, id, visibleTo(call)))
  return record ? json({ ok: true, ...record }) : missing()
}

type SavedRecord = { id: number; before: Shown | null; after: Shown; remarks: Shown }

async function save(scope: TransactionScope, dictionary: Dictionary, call: Call, id: number | null): Promise<Reply> {
  const read = readValues(dictionary, call, id === null)
  if (isRefused(read)) return read.refused
  const { values } = read
  const prepared = (await dictionary.prepare?.(values)) ?? {}
  const saved = await guarded(() =>
    writing(scope, async (client): Promise<SavedRecord | Refused> => {
      const visible = visibleTo(call)
      const before = id === null ? null : await findRecord(client, dictionary, id, visible, { isLocked: true })
      if (id !== null && !before) return { refused: missing() }
      const step: Step = { client, call, visible, before, values }
      const wrong = await checkRelations(dictionary, step)
      if (wrong) return wrong
      const derived = (await dictionary.derive?.(step)) ?? {}
      if (isRefused(derived)) return derived
      // From here it is written.
      const columns = { ...columnsOf(dictionary, values), ...prepared, ...derived }
      const key = id ?? (await insertRecord(client, dictionary, columns))
      if (id !== null) await updateRecord(client, dictionary, id, columns)
      await dictionary.also?.(step, key)
      const after = (await findRecord(client, dictionary, key, null))!
      await audit(dictionary, step, key, after)
      const remarks = (await dictionary.remarks?.(client, after)) ?? {}
      return { id: key, before, after, remarks }
    }),
  )
  if (isRefused(saved)) return saved.refused
  await dictionary.committed?.({ ...saved, values })
  return json({ ok: true, ...saved.after, ...saved.remarks })
}

async function remove(scope: TransactionScope, dictionary: Dictionary, call: Call, id: number): Promise<Reply> {
  const removed = await guarded(() =>
    writing(scope, async (client): Promise<{ before: Shown } | Refused> => {
      const visible = visibleTo(call)
      const before = await findRecord(client, dictionary, id, visible, { isLocked: true })
      if (!before) return { refused: missing() }
      const step: Step = { client, call, visible, before, values: {} }
      const refusal = await dictionary.mayRemove?.(step, id)
      if (refusal) return refusal
      const uses = await usesOf(client, dictionary, id)
      if (uses !== null) return refused(`It is in use and cannot be deleted (${uses}).`)
      await client.query(`DELETE FROM ${dictionary.table} WHERE ${dictionary.key} = $1`, [id])
      await audit(dictionary, step, id, null)
      return { before }
    }),
  )
  if (isRefused(removed)) return removed.refused
  await dictionary.committed?.({ id, before: removed.before, after: null, values: {} })
  return json({ ok: true })
}

function columnsOf({ fields }: Dictionary, values: Values): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const { name, column, refersTo } of fields) {
    if (column !== null && Object.hasOwn(values, name))
      columns[column ?? (refersTo ? `${name}_id` : name)] = values[name]
  }
  return columns
}

/** A save that changes nothing leaves no trace. */
async function audit(dictionary: Dictionary, step: Step, id: number, after: Shown | null): Promise<void> {
  const { client, call, before, values } = step
  const diff = diffOf(dictionary, before, after, values)
  if (before && after && Object.keys(diff).length === 0) return
  await writeAudit(client, {
    author: authorOf(call),
    table: dictionary.auditName,
    id: String(id),
    action: before ? (after ? 'change' : 'delete') : 'create',
    diff,
    organizationId: dictionary.organizationOf?.(after ?? before!) ?? null,
  })
}

function diffOf({ fields }: Dictionary, before: Shown | null, after: Shown | null, values: Values): Diff {
  const diff: Diff = {}
  for (const { name, kind } of fields) {
    if (kind?.isSecret) {
      if (Object.hasOwn(values, name)) diff[name] = [before ? '***' : null, '***']
      continue
    }
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null]
    if (JSON.stringify(was) !== JSON.stringify(is)) diff[name] = [was, is]
  }
  return diff
}

/** What the tables themselves refuse, in words: somebody else was quicker. */
async function guarded<T>(work: () => Promise<T | Refused>): Promise<T | Refused> {
  try {
    return await work()
  } catch (error) {
    const state = sqlState(error)
    if (state === '23505') return refused('Another record has this name or code.')
    if (state === '23503') return refused('It is in use and cannot be deleted, or names a record that is gone.')
    throw error
  }
}
