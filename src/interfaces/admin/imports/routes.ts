import Type from 'typebox'
import { type ColumnName, columnNames } from '../../../billing/importing/columns.ts'
import { encodings, openSent } from '../../../billing/importing/file.ts'
import { readTopOf } from '../../../billing/importing/header.ts'
import { importRestRun, importRun, type ImportParts as EngineParts } from '../../../billing/importing/import-run.ts'
import type { Runs } from '../../../billing/runs/runs.ts'
import { printable } from '../../../domain/printable.ts'
import { csvLine } from '../../../platform/formats/csv.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { csvFile } from '../../../platform/http/downloads.ts'
import { choice, field, flag, text } from '../../../platform/http/fields.ts'
import { mediaTypeOf } from '../../../platform/http/form.ts'
import { type SentFile, sentFile } from '../../../platform/http/multipart.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply } from '../../../platform/staff/visible-records.ts'
import { idempotencyHeader, keysOf } from '../accounts/money-request.ts'
import { type Refused, readQuery, refused } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { findRun, showRun, startedReply } from '../runs/routes.ts'
import { runSchema } from '../runs/shapes.ts'

export type ImportParts = EngineParts & { readonly runs: Pick<Runs, 'start' | 'table'> }

/** Some 300,000 lines. */
const fileBytesMax = 32 * 1024 * 1024
const topBytesMax = 64 * 1024

/** An import makes subscribers of any organization and their opening balances. */
const options = { right: ['change', 'money'], forAllOrganizations: true } as const

/** The command import_subscribers for people: the same engine and the same rules (contract section 8). */
export const importRoutes = (parts: ImportParts): Route[] => [
  post('/admin/imports', docs.start, (call) => start(parts, call), { ...options, bodyBytesMax: fileBytesMax }),
  post('/admin/imports/top', docs.top, showTop, { ...options, allowedReadOnly: true }),
  get('/admin/imports/template', docs.template, () => template, options),
  get('/admin/imports/:id', docs.one, (call) => showRun(parts, call, 'import')),
  post('/admin/imports/:id/rest', docs.rest, (call) => startRest(parts, call), options),
]

async function start(parts: ImportParts, call: Call): Promise<Reply> {
  const file = fileOf(call)
  if ('refused' in file) return file.refused
  const read = readQuery(docs.start.query, call.query)
  if ('refused' in read) return read.refused
  const { apply = false, encoding = 'utf-8', columns = null, name = file.name } = read.values
  // Beside the main thread, which answers RADIUS meanwhile.
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', file.content)).toString('hex')
  const key = keysOf(call, { ...Object.fromEntries(call.query), file: hash })
  if ('refused' in key) return key.refused
  const sent = { content: file.content, reading: { encoding, columns } }
  const opened = await openSent(sent.content, sent.reading)
  if ('refusal' in opened) return refused(400, 'wrong_file', opened.refusal)
  const author = authorOf(call)
  const asked = { file: printable(name.slice(0, nameMax)), apply }
  const order = { kind: 'import', author, asked, keys: key.keys, isAlone: true } as const
  const started = await parts.runs.start(order, importRun(parts, { sent, apply, author }))
  return startedReply(parts, call, started, 'import')
}

/** Another run of the same file, for exactly those lines that the first has left. */
async function startRest(parts: ImportParts, call: Call): Promise<Reply> {
  const cut = await findRun(parts, call)
  if (cut?.kind !== 'import') return notFoundReply()
  const key = keysOf(call, { run: cut.id })
  if ('refused' in key) return key.refused
  const isRepeated = key.keys !== null && (await parts.runs.table.ofKey(key.keys)) !== null
  if (!cut.rest && !isRepeated)
    return refused(409, 'nothing_left', 'This import was not cut off, or its file is not kept any more.')
  const author = authorOf(call)
  const asked = { ...cut.asked, rest_of: cut.id }
  const order = { kind: 'import', author, asked, keys: key.keys, isAlone: true } as const
  return startedReply(parts, call, await parts.runs.start(order, importRestRun(parts, cut.id, author)), 'import')
}

/** What the columns of a file probably are, from its beginning. */
function showTop(call: Call): Reply {
  const file = fileOf(call)
  if ('refused' in file) return file.refused
  const read = readQuery(docs.top.query, call.query)
  if ('refused' in read) return read.refused
  const top = readTopOf(file.content.subarray(0, topBytesMax), read.values.encoding ?? null)
  return 'refusal' in top ? refused(400, 'wrong_file', top.refusal) : json({ ok: true, ...top })
}

function fileOf(call: Call): SentFile | Refused {
  const type = mediaTypeOf(call)
  const file = type === 'multipart/form-data' ? sentFile(call) : { name: '', content: call.body }
  if (!file) return { refused: refused(400, 'wrong_file', 'The form has no file.') }
  if (type !== 'multipart/form-data' && !fileTypes.includes(type))
    return { refused: refused(415, 'wrong_type', `Send the file as ${fileTypes.join(' or ')}.`) }
  return file.content.length === 0 ? { refused: refused(400, 'wrong_file', 'The file is empty.') } : file
}

const nameMax = 200
const fileTypes = ['text/csv', 'multipart/form-data']

const example = ['100500', 'Иванов Иван', 'ivanov', 'secret-1', '10.0.0.5', '00:11:22:33:44:55', '', '150.00', '0.00']
const template = csvFile(
  'subscribers.csv',
  Buffer.from(csvLine([...columnNames]) + csvLine([...example, 'ivanov@example.com', '+79001234567', ''])),
)

const columnsField = field<(ColumnName | '')[]>(
  schemas.text,
  `be names of columns between commas, each at most once: ${columnNames.join(', ')}`,
  (sent) => {
    const names = typeof sent === 'string' && sent !== '' ? sent.slice(0, columnsMax).split(',') : []
    const isKnown = names.every((name) => name === '' || columnNames.some((known) => known === name))
    return names.length > 0 && isKnown ? (names as (ColumnName | '')[]) : null
  },
)
const columnsMax = 4_000

const encoding = { doc: 'Left out: utf-8, and at `top` the one that fits', schema: choice(encodings) }
const tag = 'Import'
const refusedFile = { 400: 'The file or a parameter is wrong', 413: 'The file is larger than 32 MiB', 415: 'No CSV' }

const docs = {
  start: {
    tag,
    summary: 'Check a CSV of subscribers, or import its good lines',
    description:
      'By the rules of the command import_subscribers: without `apply` nothing is written; a contract number that exists is left as it is, so the same file may be sent again. It answers at once, and the import goes on: ask `/admin/imports/{id}/` how far it is. One works at a time. With `apply` the file is kept, encrypted, until the import has ended, at most 14 days, so that `/admin/imports/{id}/rest/` can finish one that was cut off.',
    headers: idempotencyHeader,
    query: {
      apply: { doc: '1: import; left out: only check', schema: flag },
      columns: {
        doc: 'What the columns of the file are, in place of its header; an empty name leaves one out',
        schema: columnsField,
      },
      encoding,
      name: { doc: 'What the file is called', schema: text(nameMax) },
    },
    fileTypes,
    isFormToo: false,
    answers: answers(
      'It has begun',
      { import: runSchema },
      { ...refusedFile, 409: 'Another import is under way (`run_busy`), or the key was used for another one' },
    ),
  },
  top: {
    tag,
    summary: 'The first lines of a CSV, and what its columns probably are',
    description: 'The first 64 KiB are enough. Nothing is kept.',
    query: { encoding },
    fileTypes,
    isFormToo: false,
    answers: answers(
      'The titles, the guesses (empty where there is none), and the first lines',
      {
        encoding: Type.Enum([...encodings]),
        titles: Type.Array(schemas.text),
        columns: Type.Array(Type.Enum(['', ...columnNames])),
        rows: Type.Array(Type.Array(schemas.text)),
      },
      refusedFile,
    ),
  },
  template: {
    tag,
    summary: 'A CSV with every column and one subscriber',
    answers: { 200: { doc: 'UTF-8 with a byte order mark', contentType: 'text/csv' } },
  },
  one: {
    tag,
    summary: 'How far an import is, and what it came to',
    description: 'Lines that were refused: `/admin/runs/{id}/faults/`, and as CSV `/admin/runs/{id}/faults_csv/`.',
    answers: answers('The import', { import: runSchema }, { 404: 'There is no such import, or it is not yours' }),
  },
  rest: {
    tag,
    summary: 'Do the rest of an import that was cut off',
    description:
      'A new import reads the same file and imports exactly the lines that the other has left (`rest`), each once, also where a subscriber was renamed or removed since. Its result tells of every line of the file.',
    headers: idempotencyHeader,
    answers: answers(
      'It has begun',
      { import: runSchema },
      {
        404: 'There is no such import, or it is not yours',
        409: 'Nothing is left or the file is not kept any more (`nothing_left`), another import is under way (`run_busy`), or the key was used for another one',
      },
    ),
  },
} as const satisfies Record<string, RouteDoc>
