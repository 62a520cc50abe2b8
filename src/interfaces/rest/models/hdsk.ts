import Type from 'typebox'
import { ticketStates } from '../../../domain/ticket.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Hdsk, HdskMessage } from '../../../platform/storage/entities/subscribers.ts'
import { abonents } from './abonents.ts'

const messagesSql = (table: string) => `coalesce((
  SELECT json_agg(json_build_object('id', message.id, 'author', message.author, 'body', message.body,
    'create_date', message.create_date) ORDER BY message.id)
  FROM hdsk_messages AS message WHERE message.hdsk_id = ${table}.id), '[]'::json)`

export const messageSchema = Type.Object({
  id: schemas.integer,
  author: Type.Enum(['client', 'staff']),
  body: schemas.text,
  create_date: schemas.moment,
})

export const hdsk: Model = modelOf({
  name: 'Hdsk',
  entity: Hdsk,
  doc: 'A help-desk ticket. A staff reply is POST /rest_api/v2/Hdsk/<id>/messages/ {body}.',
  fields: [
    field.key(),
    field.relation('abonent', 'Subscriber.', () => abonents, field.required),
    field.text('subject', 'Subject.', field.required),
    field.text('body', 'Text of the ticket.', { max: 10_000 }),
    field.choice('status', 'State.', ticketStates),
    field.datetime('create_date', 'When it was opened.', field.readOnly),
    field.json('messages', 'Messages, oldest first.', {
      ...field.readOnly,
      sql: messagesSql,
      schema: Type.Array(messageSchema),
    }),
  ],
})

/** A message of a ticket, as it is created by a reply. */
export const hdskMessage: Model = modelOf({
  name: 'HdskMessage',
  entity: HdskMessage,
  doc: 'A message of a ticket.',
  fields: [
    field.key(),
    field.text('author', 'client or staff.', field.readOnly),
    field.text('body', 'Text.', { ...field.required, max: 10_000 }),
    field.datetime('create_date', 'When it was written.', field.readOnly),
  ],
})
