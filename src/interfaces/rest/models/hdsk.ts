import {
  choice,
  datetime,
  json,
  key,
  type Model,
  modelOf,
  readOnly,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
import { Hdsk, HdskMessage } from '../../../platform/storage/entities/subscribers.ts'
import { abonents } from './abonents.ts'

const messagesSql = (table: string) => `coalesce((
  SELECT json_agg(json_build_object('id', message.id, 'author', message.author, 'body', message.body,
    'create_date', message.create_date) ORDER BY message.id)
  FROM hdsk_messages AS message WHERE message.hdsk_id = ${table}.id), '[]'::json)`

export const hdsk: Model = modelOf({
  name: 'Hdsk',
  entity: Hdsk,
  label: 'hdsk',
  audit: 'HDSK',
  doc: 'A help-desk ticket. A staff reply is POST /rest_api/v2/Hdsk/<id>/messages/ {body}.',
  fields: [
    key(),
    relation('abonent', 'Subscriber.', () => abonents, required),
    text('subject', 'Subject.', required),
    text('body', 'Text of the ticket.', { max: 10_000 }),
    choice('status', 'State.', ['open', 'in_progress', 'closed']),
    datetime('create_date', 'When it was opened.', readOnly),
    json('messages', 'Messages, oldest first.', {
      ...readOnly,
      sql: messagesSql,
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            author: { type: 'string', enum: ['client', 'staff'] },
            body: { type: 'string' },
            create_date: { type: 'string', format: 'date-time' },
          },
        },
      },
    }),
  ],
})

/** A message of a ticket, as it is created by a reply. */
export const hdskMessage: Model = modelOf({
  name: 'HdskMessage',
  entity: HdskMessage,
  label: 'hdsk message',
  audit: 'HDSK',
  doc: 'A message of a ticket.',
  fields: [
    key(),
    text('author', 'client or staff.', readOnly),
    text('body', 'Text.', { ...required, max: 10_000 }),
    datetime('create_date', 'When it was written.', readOnly),
  ],
})
