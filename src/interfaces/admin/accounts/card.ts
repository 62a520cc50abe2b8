import Type from 'typebox'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { readOperations } from '../finops/operation-shape.ts'
import { accountSchema, mainClientSchema, operationsSchema, readAccount, type Shown } from './account-shape.ts'

/** Specification 8. */
const operationsShown = 50
const notificationsShown = 20

/** GET accounts_get: everything that the card of an account shows. */
export function showAccount(scope: TransactionScope, call: Call): Promise<Reply> {
  const visible = visibleTo(call)
  return reading(scope, async (client) => {
    const id = await findVisible(client, 'account', call.params.id, visible)
    const account = id === null ? null : await readAccount(client, id)
    if (id === null || !account) return notFoundReply()
    const clients = await readClients(client, id, visible)
    return json({
      ok: true,
      account,
      clients,
      operations: await readOperations(client, visible, 'operation.account_id = $2', [id], operationsShown),
      notifications: await readNotifications(client, id, visible),
      organization:
        account.organization_id === null ? null : { id: account.organization_id, name: account.organization_name },
    })
  })
}

/** Only the clients that the caller may see, because several organizations may share an account. */
async function readClients(client: Client, account: number, visible: VisibleOrganizations): Promise<Shown[]> {
  const { rows } = await client.query<{ client: Shown }>(
    `SELECT json_build_object('id', client.id, 'name', client.name, 'contract_number', client.contract_number,
        'is_main', client.id = (SELECT min(id) FROM abonents WHERE account_id = $1::int8),
        'enabled', client.enabled, 'deleted', client.deleted, 'tarif', client.tarif_id, 'tarif_id', client.tarif_id,
        'tarif_name', tarif.name, 'promise_pay', ${rublesSql('client.promise_pay')},
        'promise_date_end', client.promise_date_end, 'organization', client.organization_id, 'organization_id', client.organization_id,
        'block', json_build_object('b_negbal', coalesce(block.b_negbal, false), 'b_admin', coalesce(block.b_admin, false),
          'b_own', coalesce(block.b_own, false), 'b_sys', coalesce(block.b_sys, false))) AS client
      FROM abonents AS client LEFT JOIN tarifs AS tarif ON tarif.id = client.tarif_id
        LEFT JOIN abonents_block AS block ON block.abonent_id = client.id
      WHERE client.account_id = $1::int8 AND ${visibleSql('client.organization_id', '$2')} ORDER BY client.id`,
    [account, visible],
  )
  return rows.map((row) => row.client)
}

/**
 * Messages as they were sent, on any channel. Messages to clients of an organization that the caller may not see are
 * left out.
 */
async function readNotifications(client: Client, account: number, visible: VisibleOrganizations): Promise<Shown[]> {
  const { rows } = await client.query<{ notification: Shown }>(
    `SELECT json_build_object('id', notification.id, 'kind', notification.kind, 'channel', notification.channel,
        'title', notification.title, 'text', notification.text, 'state', notification.state, 'error', notification.error,
        'abonent', notification.subscriber_id, 'abonent_id', notification.subscriber_id,
        'created_at', notification.created_at, 'sent_at', notification.sent_at) AS notification
      FROM notifications AS notification LEFT JOIN abonents AS client ON client.id = notification.subscriber_id
      WHERE notification.account_id = $1::int8 AND (client.id IS NULL OR ${visibleSql('client.organization_id', '$2')})
      ORDER BY notification.id DESC LIMIT ${notificationsShown}`,
    [account, visible],
  )
  return rows.map(({ notification }) => notification)
}

const { integer, text, boolean, moment } = schemas
const id = nullable(integer)

export const cardDoc: RouteDoc = {
  tag: 'Personal accounts',
  summary: `An account, its clients, ${operationsShown} latest operations and ${notificationsShown} notifications`,
  answers: {
    200: {
      doc: 'The card',
      schema: okObject({
        account: accountSchema,
        clients: Type.With(
          Type.Array(
            Type.Object({
              ...mainClientSchema.properties,
              is_main: boolean,
              tarif: id,
              tarif_id: id,
              tarif_name: nullable(text),
              promise_pay: Type.With(nullable(schemas.rubles), { description: 'Limit of the active promise payment' }),
              promise_date_end: nullable(moment),
              organization: id,
              organization_id: id,
              block: Type.Object({ b_negbal: boolean, b_admin: boolean, b_own: boolean, b_sys: boolean }),
            }),
          ),
          { description: 'The first by id is the main one' },
        ),
        operations: operationsSchema,
        notifications: Type.Array(
          Type.Object({
            id: integer,
            kind: text,
            channel: nullable(text),
            title: text,
            text,
            state: text,
            error: nullable(text),
            abonent: id,
            abonent_id: id,
            created_at: moment,
            sent_at: nullable(moment),
          }),
        ),
        organization: nullable(Type.Object({ id: integer, name: text })),
      }),
    },
    404: { doc: 'There is no such account, or it is of another organization', schema: errorSchema },
  },
}
