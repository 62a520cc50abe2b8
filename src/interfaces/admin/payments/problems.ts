import Type from 'typebox'
import type { Payments } from '../../../billing/payments/payments.ts'
import { problemReasons, type ShownProblem } from '../../../billing/payments/problems.ts'
import { readId } from '../../../domain/ids.ts'
import { readText } from '../../../domain/text.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { readCookie } from '../../../platform/http/cookies.ts'
import { csrfCookie } from '../../../platform/http/csrf.ts'
import { field } from '../../../platform/http/fields.ts'
import { preferredLanguage } from '../../../platform/http/languages.ts'
import { html, json, redirect } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { type Diff, writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { readBody, readQuery, readSent, wrongInWords } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { type Page, pageAnswers, pageParameters, pageReply, readPage } from '../paging.ts'
import { problemsPage } from './problems-page.ts'

const path = '/admin/payments/problems'
/** The same for people. */
const pagePath = '/admin/payments'
const perPageUsual = 50
const commentMax = 1000

/** Payments that were reported but not credited (contract section 5a) and still need the attention of an operator. */
export const paymentProblemRoutes = (scope: TransactionScope, { problems }: Pick<Payments, 'problems'>): Route[] => [
  get(path, listDoc, (call) => list(scope, problems, call), { right: recordRights.paymentProblem.read }),
  post(`${path}/:id`, resolveDoc, (call) => resolve(scope, problems, call, asJson), {
    right: recordRights.paymentProblem.change,
  }),
  {
    method: 'GET',
    path: pagePath,
    door: 'page',
    right: recordRights.paymentProblem.read,
    handler: (call) => showPage(scope, problems, call),
  },
  {
    method: 'POST',
    path: `${pagePath}/:id`,
    door: 'page',
    right: recordRights.paymentProblem.change,
    handler: (call) => resolve(scope, problems, call, asList),
  },
]

const asJson = (problem: ShownProblem): Reply => json({ ok: true, problem })
const asList = (): Reply => redirect(`${pagePath}/`)

type Kept = Payments['problems']

type Listed = { readonly items: readonly ShownProblem[]; readonly total: number; readonly page: Page }

async function list(scope: TransactionScope, problems: Kept, call: Call): Promise<Reply> {
  const read = readQuery(listDoc.query, call.query, ['resolved'])
  if ('refused' in read) return read.refused
  const listed = await readList(scope, problems, call, read.values.resolved ?? null)
  if ('refused' in listed) return listed.refused
  return pageReply(listed.items, listed.total, listed.page)
}

async function readList(
  scope: TransactionScope,
  problems: Kept,
  call: Call,
  resolved: boolean | null,
): Promise<Listed | { refused: Reply }> {
  const page = readPage(call.query, perPageUsual)
  if ('refused' in page) return page
  const { perPage: limit, offset } = page
  const listed = await reading(scope, (client) =>
    problems.list(client, { visible: visibleTo(call), resolved, limit, offset }),
  )
  return { ...listed, page }
}

async function showPage(scope: TransactionScope, problems: Kept, call: Call): Promise<Reply> {
  const isAll = call.query.get('all') === '1'
  const listed = await readList(scope, problems, call, isAll ? null : false)
  if ('refused' in listed) return listed.refused
  const page = problemsPage({
    ...listed,
    isAll,
    csrfToken: readCookie(call.header('cookie'), csrfCookie),
    language: preferredLanguage(call.header('accept-language')),
    timeZone: scope.timeZone(),
  })
  return html(page, 200, [
    ['Cache-Control', 'no-store'],
    ['Vary', 'Accept-Language'],
  ])
}

/** `resolved` answers with the problem: a program as JSON, a person with the list. */
async function resolve(
  scope: TransactionScope,
  problems: Kept,
  call: Call,
  resolved: (problem: ShownProblem) => Reply,
): Promise<Reply> {
  const id = readId(call.params.id)
  if (id === null) return notFoundReply()
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const read = readSent(resolveDoc.body.properties, body.fields, { refuse: wrongInWords })
  if ('refused' in read) return read.refused
  const { comment = '' } = read.values
  return writing(scope, async (client) => {
    const author = authorOf(call)
    const by = { visible: visibleTo(call), staffId: staffOf(call), name: author.name, comment: comment || null }
    const found = await problems.resolve(client, id, by)
    if (!found) return notFoundReply()
    const { problem, isNew, organizationId } = found
    if (isNew) {
      const diff: Diff = { resolved: [false, true], ...(comment !== '' && { comment: [null, comment] as const }) }
      await writeAudit(client, {
        author,
        table: 'PAYMENT_PROBLEMS',
        id: String(id),
        action: 'change',
        diff,
        organizationId,
      })
    }
    return resolved(problem)
  })
}

const problemSchema = Type.Object({
  id: schemas.integer,
  at: schemas.moment,
  last_at: schemas.moment,
  times: Type.Integer({ description: 'How often the same came' }),
  gateway: Type.Enum(['gwa', 'gwb']),
  protocol: Type.Enum(['rest', 'http', 'form']),
  reason: Type.Enum(problemReasons),
  detail: schemas.text,
  order_id: nullable(schemas.integer),
  abonent_id: nullable(schemas.integer),
  gateway_id: nullable(schemas.text),
  amount: nullable(schemas.rubles),
  address: nullable(schemas.text),
  notice: Type.String({ description: 'As it came, without its signature' }),
  resolved: schemas.boolean,
  resolved_at: nullable(schemas.moment),
  resolved_by: nullable(schemas.text),
  comment: nullable(schemas.text),
})

const tag = 'Payments'

const listDoc = {
  tag,
  summary: 'Payments that a gateway reported and that were not credited, the latest first',
  description:
    'Staff of some organizations see those of their subscribers; what concerns no subscriber is shown only to staff who see all organizations.',
  query: {
    resolved: {
      doc: '0: only those that nobody has resolved; 1: only resolved ones',
      schema: field(Type.Enum(['0', '1']), 'be 0 or 1', (sent) => (sent === '0' || sent === '1' ? sent === '1' : null)),
    },
    ...pageParameters,
  },
  answers: pageAnswers(problemSchema),
} satisfies RouteDoc

const resolveDoc = {
  tag,
  summary: 'Mark a problem as resolved',
  body: Type.Object({
    // What is no text is no comment.
    comment: Type.Optional(
      field(Type.String({ maxLength: commentMax }), `be text of at most ${commentMax} characters`, (sent) =>
        readText(typeof sent === 'string' ? sent : '', commentMax),
      ),
    ),
  }),
  answers: answers(
    'It is resolved, now or before',
    { problem: problemSchema },
    { 400: 'The comment is wrong', 404: 'There is no such problem, or it is of another organization' },
  ),
} satisfies RouteDoc
