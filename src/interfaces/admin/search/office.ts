import { transactionKey } from '../../../domain/money-keys.ts'
import { currentTicketStates, type TicketState } from '../../../domain/ticket.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { beginWordsSql, type Find, joined, patternsOf, rowsOf } from './asked.ts'

const operationsSql = `SELECT operation.op_id AS id, type.op_name AS type, ${rublesSql('operation.op_summa')} AS amount,
    to_char(operation.op_date, 'YYYY-MM-DD') AS day, client.name AS client
  FROM (
    (SELECT op_id FROM finance_operations WHERE op_id = $2::int8)
    UNION
    (SELECT op_id FROM finance_operations WHERE number = $3::text AND number IS NOT NULL LIMIT $5)
    UNION
    (SELECT op_id FROM finance_operations WHERE operator_pay_id_str = $3::text AND operator_pay_id_str IS NOT NULL LIMIT $5)
    UNION
    (SELECT op_id FROM money_keys WHERE key = $4::text)
  ) AS found JOIN finance_operations AS operation USING (op_id)
    JOIN fin_types AS type ON type.type_id = operation.op_type_id LEFT JOIN abonents AS client ON client.id = operation.abonent_id
  WHERE ${visibleSql('operation.organization_id', '$1')}
  ORDER BY operation.op_date DESC, operation.op_id DESC LIMIT $5`

/** Operations by their number, that of their document, of the payment at its operator, or their transaction. */
export const findOperations: Find = async ({ question: { text, number }, visible, limit, client }) => {
  type Row = Record<'id' | 'type' | 'amount' | 'day', string> & { client: string | null }
  const values = [visible, number, text, transactionKey.of(text), limit]
  const rows = await rowsOf<Row>(client, 'operations', operationsSql, values)
  return rows.map(({ id, type, amount, day, client }) => ({
    id: Number(id),
    title: `${id} · ${type}`,
    subtitle: joined(day, amount, client),
    path: `/admin/money/operations/${id}/`,
  }))
}

/** Subjects are looked at of so many tickets of each state that are not closed, the newest. */
const ticketsMax = 500

const ticketsOf = (status: TicketState): string =>
  `(SELECT id, subject FROM hdsks WHERE status = '${status}' AND cardinality($3::text[]) > 0 ORDER BY id DESC LIMIT ${ticketsMax})`

const ticketsSql = `SELECT ticket.id, ticket.subject, client.name FROM (
    SELECT id, 1 AS rank FROM hdsks WHERE id = $2::int8
    UNION ALL
    SELECT id, 2 FROM (${currentTicketStates.map(ticketsOf).join(' UNION ALL ')}) AS current
    WHERE ${beginWordsSql('subject', '$3')}
  ) AS found JOIN hdsks AS ticket ON ticket.id = found.id JOIN abonents AS client ON client.id = ticket.abonent_id
  WHERE ${visibleSql('client.organization_id', '$1')}
  GROUP BY ticket.id, client.id ORDER BY min(rank), ticket.id DESC LIMIT $4`

/** Tickets by their number, and those that are not closed by the words of their subject. */
export const findTickets: Find = async ({ question: { number, words }, visible, limit, client }) => {
  type Row = Record<'id' | 'subject' | 'name', string>
  const rows = await rowsOf<Row>(client, 'tickets', ticketsSql, [visible, number, patternsOf(words), limit])
  return rows.map(({ id, subject, name }) => ({
    id: Number(id),
    title: subject,
    subtitle: joined(`#${id}`, name),
    path: `/admin/tickets/${id}/`,
  }))
}
