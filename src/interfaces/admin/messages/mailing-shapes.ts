import Type from 'typebox'
import type { Mailing } from '../../../billing/messages/mailing/mailing-table.ts'
import { mailingFields } from '../../../domain/mailing-text.ts'
import { staffId } from '../../../domain/ids.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { choice, field, flag, moment, text } from '../../../platform/http/fields.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { refused } from '../body.ts'
import { sortedParameters } from '../sorted-lists.ts'
import { orderBodyOf } from '../subscribers/many/meant.ts'

const { integer } = schemas

const channelChoices = ['auto', 'push', 'sms', 'email'] as const
export const mailingTextMax = 1_000
export const mailingTitleMax = 200

const plainText = (most: number, unwanted: RegExp) =>
  field<string>(Type.String({ minLength: 1, maxLength: most }), `be text of 1 to ${most} characters`, (sent) => {
    const read = typeof sent === 'string' ? sent.replaceAll('\r\n', '\n').trim() : ''
    return read === '' || read.length > most || unwanted.test(read) || !read.isWellFormed() ? null : read
  })

/** Text of several lines, without the spaces around it. */
export const multiline = (most: number) => plainText(most, /(?!\n)\p{Cc}/u)
export const oneLine = (most: number) => plainText(most, /\p{Cc}/u)

const channel = Type.With(choice(channelChoices), {
  description: 'auto: of push, SMS and e-mail the first that the recipient has',
})

export const limitUsual = 50
export const limitMax = 200
const { limit, cursor } = sortedParameters(['id'])
/** Of a list by cursor. */
export const pageQuery = { limit, cursor }

const titleField = Type.Optional(oneLine(mailingTitleMax))

export const previewFields = {
  channel,
  title: titleField,
  text: Type.With(Type.Optional(multiline(mailingTextMax)), {
    description: 'To be shown as some of them would get it',
  }),
}
export const previewBody = orderBodyOf(previewFields)

export const mailingOwnFields = {
  channel,
  title: Type.With(titleField, {
    description: 'Subject of an e-mail and heading of a push; left out: the name of the provider',
  }),
  text: Type.With(multiline(mailingTextMax), {
    description: `May have the fields ${mailingFields.map((name) => `{${name}}`).join(', ')}`,
  }),
  send_at: Type.With(Type.Optional(moment), { description: 'Not before this; left out: at once' }),
  test: Type.With(Type.Optional(text(200)), {
    description:
      'A phone or an e-mail address: one message goes there, as its first recipient would get it, and no mailing begins',
  }),
}
export const mailingBody = orderBodyOf(mailingOwnFields)

export const optOutBody = Type.Object({
  on: Type.With(Type.Optional(flag), { description: 'true: no mailings; false: mailings again' }),
})

/** Of a text with fields in braces that there are none of. */
export function unknownFieldReply(field: 'title' | 'text', unknown: readonly string[]): Reply {
  const sentence = `There is no field ${unknown.map((name) => `{${name}}`).join(', ')}.`
  return refused(400, 'unknown_field', sentence, { errors: { [field]: sentence }, codes: { [field]: 'unknown_field' } })
}

/** The mailings that a caller sees: their own, and everybody's where they see all organizations. */
export const mailingsOf = (call: Call) => (visibleTo(call) === null ? null : (call.staff?.id ?? staffId(0)))

/** `quiet_until` is told while nothing is sent for that reason. */
export const shownMailing = (mailing: Mailing, quietUntil: Date | null) => ({
  ...mailing,
  quiet_until: mailing.state === 'sending' ? quietUntil : null,
})

export const mailingSchema = Type.Object({
  id: integer,
  user: Type.With(schemas.text, { description: 'Who began it' }),
  asked: Type.Object({
    ids: Type.Optional(Type.With(integer, { description: 'How many were marked' })),
    filter: Type.Optional(Type.With(schemas.object, { description: 'Of the list whose subscribers were meant' })),
  }),
  channel: Type.Enum([...channelChoices]),
  title: schemas.text,
  text: schemas.text,
  state: Type.With(Type.Enum(['gathering', 'sending', 'done', 'stopped', 'cut_off']), {
    description: 'cut_off: the program ended before the recipients were known, and nothing was sent',
  }),
  total: Type.With(nullable(integer), { description: 'Recipients, fixed when it begins; null while nobody knows' }),
  done: Type.With(integer, { description: 'Recipients that have a message or a reason why not' }),
  messages: integer,
  sent: integer,
  waiting: Type.With(integer, { description: 'Written and not yet sent' }),
  failed: integer,
  opted_out: Type.With(integer, { description: 'Want no mailings' }),
  no_address: integer,
  no_provider: Type.With(integer, { description: 'Only have addresses of channels that no provider serves' }),
  deleted: integer,
  starts_at: schemas.moment,
  created_at: schemas.moment,
  ended_at: nullable(schemas.moment),
  quiet_until: Type.With(nullable(schemas.moment), { description: 'End of the quiet hours that it waits for' }),
})

export const reachMembers = {
  total: Type.With(integer, { description: 'Those who are meant' }),
  reached: Type.With(Type.Object({ push: integer, sms: integer, email: integer }), {
    description: 'Those who would get it, by channel',
  }),
  left_out: Type.Object({ opted_out: integer, no_address: integer, no_provider: integer, deleted: integer }),
  quiet_until: nullable(schemas.moment),
  unknown: Type.With(Type.Array(schemas.text), { description: 'Fields of the text that there are none of' }),
  samples: Type.With(
    Type.Array(
      Type.Object({
        id: integer,
        name: schemas.text,
        channel: Type.Enum(['push', 'sms', 'email']),
        title: schemas.text,
        text: schemas.text,
        sms_count: Type.With(integer, { description: 'How many SMS the text takes' }),
      }),
    ),
    { description: 'Some who would get it, with the text as they would' },
  ),
}
