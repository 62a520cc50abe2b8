import Type from 'typebox'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { answers } from '../doors.ts'
import { operationSchema, readOperations } from '../finops/operation-shape.ts'
import { keyOf, shapeOf } from '../shapes.ts'
import { accountMissing, accountSchema, mainClient, readAccount, type Shown } from './account-shape.ts'

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

const { integer, text, boolean, moment, rubles } = schemas
const words = nullable(text)
const isBlocked = (reason: string) => [boolean, `coalesce(block.${reason}, false)`] as const

const [clientSchema, clientSql] = shapeOf('client', {
  ...mainClient,
  is_main: [boolean, 'client.id = (SELECT min(id) FROM abonents WHERE account_id = $1::int8)'],
  ...keyOf('tarif'),
  tarif_name: [words, 'tarif.name'],
  promise_pay: Type.With(nullable(rubles), { description: 'Limit of the active promise payment' }),
  promise_date_end: nullable(moment),
  ...keyOf('organization'),
  block: shapeOf('block', {
    b_negbal: isBlocked('b_negbal'),
    b_admin: isBlocked('b_admin'),
    b_own: isBlocked('b_own'),
    b_sys: isBlocked('b_sys'),
  }),
})

const [notificationSchema, notificationSql] = shapeOf('notification', {
  id: integer,
  kind: text,
  channel: words,
  title: text,
  text,
  state: text,
  error: words,
  ...keyOf('abonent', nullable(integer), 'subscriber_id'),
  created_at: moment,
  sent_at: nullable(moment),
})

/** Only the clients that the caller may see, because several organizations may share an account. */
async function readClients(client: Client, account: number, visible: VisibleOrganizations): Promise<Shown[]> {
  const { rows } = await client.query<{ client: Shown }>(
    `SELECT ${clientSql} AS client FROM abonents AS client LEFT JOIN tarifs AS tarif ON tarif.id = client.tarif_id
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
    `SELECT ${notificationSql} AS notification
      FROM notifications AS notification LEFT JOIN abonents AS client ON client.id = notification.subscriber_id
      WHERE notification.account_id = $1::int8 AND (client.id IS NULL OR ${visibleSql('client.organization_id', '$2')})
      ORDER BY notification.id DESC LIMIT ${notificationsShown}`,
    [account, visible],
  )
  return rows.map(({ notification }) => notification)
}

export const cardDoc: RouteDoc = {
  tag: 'Personal accounts',
  summary: `An account, its clients, ${operationsShown} latest operations and ${notificationsShown} notifications`,
  answers: answers(
    'The card',
    {
      account: accountSchema,
      clients: Type.With(Type.Array(clientSchema), { description: 'The first by id is the main one' }),
      operations: Type.Array(operationSchema),
      notifications: Type.Array(notificationSchema),
      organization: nullable(Type.Object({ id: integer, name: text })),
    },
    { 404: accountMissing },
  ),
}
