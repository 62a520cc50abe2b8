import Type from 'typebox'
import { servicePrice } from '../../../domain/charges.ts'
import { formatRubles, type Money, moneyFromUnits, plus, zero } from '../../../domain/money.ts'
import { isPromiseService, promiseSystemType } from '../../../domain/promise.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { answers } from '../doors.ts'
import { keyOf, shapeOf } from '../shapes.ts'
import { accountMissing } from './account-shape.ts'

/** Why nothing will be charged (contract section 5, Charges). A promise payment has a daily fee of its own. */
export const notCharged = ['deleted', 'frozen', 'own_block', 'disabled', 'ended', 'promise'] as const
export type NotCharged = (typeof notCharged)[number]

/** GET accounts_services: what the clients of an account have, and what a whole month of it will cost. */
export function showServices(scope: TransactionScope, call: Call): Promise<Reply> {
  const visible = visibleTo(call)
  return reading(scope, async (client) => {
    const id = await findVisible(client, 'account', call.params.id, visible)
    if (id === null) return notFoundReply()
    const clients = await readClients(client, id, visible)
    const services = (await readLinks(client, id, visible)).map((link) => serviceOf(link))
    const tariffs = clients.map(tariffOf)
    const [tariffSum, serviceSum] = [tariffs, services].map((lines) =>
      lines.reduce((sum, { due }) => plus(sum, due), zero),
    )
    return json({
      ok: true,
      tariffs: tariffs.map(({ shown }) => shown),
      services: services.map(({ shown }) => shown),
      tariff_sum: formatRubles(tariffSum!),
      service_sum: formatRubles(serviceSum!),
      monthly_charge: formatRubles(plus(tariffSum!, serviceSum!)),
    })
  })
}

type Line = { readonly due: Money; readonly shown: object }

type ClientRow = {
  id: number
  name: string
  tarif: { id: number; name: string } | null
  price: string | null
  reason: NotCharged | null
}

/** SQL: why a client is not charged now. Debtors and clients blocked by an operator are charged. */
export const notChargedSql = `CASE WHEN client.deleted THEN 'deleted' WHEN account.sleep_date > now() THEN 'frozen'
  WHEN block.b_own THEN 'own_block' END`

/** SQL: clients with what `notChargedSql` refers to. */
export const ofAccount = `abonents AS client JOIN admin_accounts AS account ON account.id = client.account_id
  LEFT JOIN abonents_block AS block ON block.abonent_id = client.id`

async function readClients(client: Client, account: number, visible: VisibleOrganizations): Promise<ClientRow[]> {
  const { rows } = await client.query<ClientRow>(
    `SELECT client.id::float8 AS id, client.name, ${notChargedSql} AS reason, tarif.price,
        CASE WHEN tarif.id IS NOT NULL THEN json_build_object('id', tarif.id, 'name', tarif.name) END AS tarif
      FROM ${ofAccount} LEFT JOIN tarifs AS tarif ON tarif.id = client.tarif_id
      WHERE account.id = $1::int8 AND ${visibleSql('client.organization_id', '$2')} ORDER BY client.id`,
    [account, visible],
  )
  return rows
}

function tariffOf({ id, name, tarif, price, reason }: ClientRow): Line {
  const month = price === null ? zero : moneyFromUnits(price)
  const due = reason === null ? month : zero
  const shown = {
    abonent_id: id,
    abonent_name: name,
    tarif,
    price: price === null ? null : formatRubles(month),
    amount: formatRubles(due),
    not_charged: reason,
  }
  return { due, shown }
}

const { integer, text, boolean, moment, rubles } = schemas

const [linkSchema, linkSql] = shapeOf('link', {
  id: integer,
  ...keyOf('usluga', integer),
  name: [text, 'usluga.name'],
  abonent_id: integer,
  abonent_name: [text, 'client.name'],
  enabled: boolean,
  end_time: nullable(moment),
})

type LinkRow = {
  record: object
  usluga_id: string
  system_type: number | null
  countt: number
  summ: string | null
  summa: string | null
  price: string
  reason: NotCharged | null
}

/** SQL: why the service of `link` is not charged now. */
export const linkNotChargedSql = `coalesce(${notChargedSql},
  CASE WHEN NOT link.enabled THEN 'disabled' WHEN link.end_time <= now() THEN 'ended' END)`

async function readLinks(client: Client, account: number, visible: VisibleOrganizations): Promise<LinkRow[]> {
  const { rows } = await client.query<LinkRow>(
    `SELECT ${linkSql} AS record, usluga.id AS usluga_id, coalesce(link.system_type, usluga.system_type) AS system_type, link.countt, link.summ, usluga.summa, usluga.price,
        ${linkNotChargedSql} AS reason
      FROM ${ofAccount} JOIN users_uslugas AS link ON link.abonent_id = client.id JOIN uslugas AS usluga ON usluga.id = link.usluga_id
      WHERE account.id = $1::int8 AND ${visibleSql('client.organization_id', '$2')} ORDER BY client.id, link.id`,
    [account, visible],
  )
  return rows
}

/** The price cascade: the subscriber's own, else the service's sum, else its price; an own price of 0 is free. */
function serviceOf({ record, usluga_id, system_type, countt, summ, summa, price, reason: told }: LinkRow): Line {
  const [own, sum, usual] = [summ, summa, price].map((units) =>
    units === null || units === undefined ? null : moneyFromUnits(units),
  )
  const month = servicePrice({ own: own!, sum: sum!, price: usual!, count: countt })
  const isPromise = isPromiseService(Number(usluga_id)) || system_type === promiseSystemType
  const reason = isPromise ? 'promise' : told
  const due = reason === null ? month : zero
  const shown = {
    ...record,
    countt,
    price: formatRubles(own ?? sum ?? usual ?? zero),
    price_from: own !== null ? 'summ' : sum !== null ? 'summa' : 'price',
    month: formatRubles(month),
    amount: formatRubles(due),
    not_charged: reason,
  }
  return { due, shown }
}

const notChargedSchema = Type.With(nullable(Type.Enum([...notCharged])), { description: 'Why the amount is 0.00' })

export const servicesDoc: RouteDoc = {
  tag: 'Personal accounts',
  summary: 'Services of an account and the expected charge of a whole month',
  description:
    'The price of a service is summ of the subscriber, else summa of the service, else its price; null falls through, 0 is free; times countt.',
  answers: answers(
    'Line by line',
    {
      tariffs: Type.Array(
        Type.Object({
          abonent_id: integer,
          abonent_name: text,
          tarif: nullable(Type.Object({ id: integer, name: text })),
          price: nullable(rubles),
          amount: rubles,
          not_charged: notChargedSchema,
        }),
      ),
      services: Type.Array(
        Type.Object({
          ...linkSchema.properties,
          countt: integer,
          price: rubles,
          price_from: Type.Enum(['summ', 'summa', 'price']),
          month: rubles,
          amount: rubles,
          not_charged: notChargedSchema,
        }),
      ),
      tariff_sum: rubles,
      service_sum: rubles,
      monthly_charge: rubles,
    },
    { 404: accountMissing },
  ),
}
