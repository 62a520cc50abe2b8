import Type from 'typebox'
import {
  fieldsOf,
  fieldTexts,
  isTemplate,
  shipped,
  type Template,
  templates,
  type Values,
  type Wording,
  wordingKey,
} from '../../../billing/messages/catalogue.ts'
import { readOwnWordings, writeOwnWording } from '../../../billing/messages/templates.ts'
import { type Language, languages } from '../../../domain/language.ts'
import { unknownFields } from '../../../domain/mailing-text.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import { filled } from '../../../domain/wording.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, flag } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { readBody, readSent, readSentBody } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { mailingTextMax, mailingTitleMax, multiline, oneLine, unknownFieldReply } from './mailing-shapes.ts'

/** What notices to clients say, in either language, as shipped or as the operator has worded them. */
export const messageTemplateRoutes = (parts: TransactionScope): Route[] => [
  get('/admin/messages/template', docs.list, () => list(parts)),
  post('/admin/messages/template/:name/preview', docs.preview, (call) => preview(parts, call), {
    right: 'view',
    allowedReadOnly: true,
  }),
  post('/admin/messages/template/:name', docs.change, (call) => change(parts, call), {
    right: recordRights.setting.change,
    forAllOrganizations: recordRights.setting.isShared,
  }),
]

/** Shown in a preview in place of what a notice would say. */
const samples: Values = {
  amount: '500.00',
  balance: '-120.50',
  warn: '100.00',
  until: '2026-12-31T20:59:00Z',
  insufficient: '1',
}

async function list(parts: TransactionScope): Promise<Reply> {
  const own = await reading(parts, readOwnWordings)
  const shownIn = (name: Template, language: Language) => {
    const mine = own.get(wordingKey(name, language))
    const usual: Wording = shipped[language][name]
    return { ...(mine ?? usual), is_own: mine !== undefined, usual }
  }
  const items = templates.map((name) => ({
    name,
    fields: fieldsOf(name),
    ru: shownIn(name, 'ru'),
    en: shownIn(name, 'en'),
  }))
  return json({ ok: true, items })
}

/** How a wording would look, with values that are made up. */
function preview(parts: TransactionScope, call: Call): Reply {
  const { name = '' } = call.params
  if (!isTemplate(name)) return notFoundReply()
  const read = readSentBody(call, previewBody.properties)
  if ('refused' in read) return read.refused
  const { language, title, text } = read.values
  const texts = fieldTexts(name, samples, language, parts.timeZone())
  return json({
    ok: true,
    unknown: unknownFields(`${title} ${text}`, fieldsOf(name)),
    title: filled(title, texts),
    text: filled(text, texts),
  })
}

async function change(parts: TransactionScope, call: Call): Promise<Reply> {
  const { name = '' } = call.params
  if (!isTemplate(name)) return notFoundReply()
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const chosen = readSent(changeBody.properties, body.fields, { names: ['language', 'reset'] })
  if ('refused' in chosen) return chosen.refused
  const { language, reset = false } = chosen.values
  if (reset) return write(parts, call, name, language, null)
  const read = readSent({ title: changeTitle, text: changeText }, body.fields)
  if ('refused' in read) return read.refused
  for (const field of ['title', 'text'] as const) {
    const unknown = unknownFields(read.values[field], fieldsOf(name))
    if (unknown.length > 0) return unknownFieldReply(field, unknown)
  }
  return write(parts, call, name, language, read.values)
}

async function write(
  parts: TransactionScope,
  call: Call,
  name: Template,
  language: Language,
  wording: Wording | null,
): Promise<Reply> {
  await writing(parts, async (client) => {
    const usual: Wording = shipped[language][name]
    const before = (await readOwnWordings(client)).get(wordingKey(name, language)) ?? usual
    const after = wording ?? usual
    await writeOwnWording(client, name, language, wording)
    await writeAudit(client, {
      ...{ author: authorOf(call), table: 'MESSAGE_TEMPLATES', id: wordingKey(name, language), action: 'change' },
      diff: { title: [before.title, after.title], text: [before.text, after.text] },
      organizationId: null,
    })
  })
  return json({ ok: true })
}

const changeTitle = oneLine(mailingTitleMax)
const changeText = multiline(mailingTextMax)
const changeBody = Type.Object({
  language: choice(languages),
  reset: Type.With(Type.Optional(flag), { description: 'It says again what it says as shipped' }),
  title: Type.With(Type.Optional(changeTitle), { description: 'Needed without reset' }),
  text: Type.With(Type.Optional(changeText), {
    description: 'Needed without reset; may have the fields of the notice',
  }),
})

const previewBody = Type.Object({ language: choice(languages), title: changeTitle, text: changeText })

const { text, boolean } = schemas
const worded = Type.Object({
  title: text,
  text,
  is_own: Type.With(boolean, { description: 'Worded by the operator' }),
  usual: Type.Object({ title: text, text }),
})

const tag = 'Messages'

const docs = {
  list: {
    tag,
    summary: 'What notices to clients say, in both languages',
    answers: answers('All of them', {
      items: Type.Array(
        Type.Object({
          name: Type.Enum(templates),
          fields: Type.With(Type.Array(text), { description: 'What its text may say in braces' }),
          ru: worded,
          en: worded,
        }),
      ),
    }),
  },
  preview: {
    tag,
    summary: 'How a wording of a notice would look, with values that are made up',
    body: previewBody,
    answers: answers(
      'Nothing is written',
      { title: text, text, unknown: Type.With(Type.Array(text), { description: 'Fields that the notice has not' }) },
      { 400: 'A wrong field', 404: 'There is no such notice' },
    ),
  },
  change: {
    tag,
    summary: 'Word a notice anew in one language, or have it say what it says as shipped',
    body: changeBody,
    answers: answers(
      'The next notice says so',
      {},
      {
        400: 'A wrong field; unknown_field: the text has a field that the notice has not',
        404: 'There is no such notice',
      },
    ),
  },
} as const satisfies Record<string, RouteDoc>
