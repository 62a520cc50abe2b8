import type { PoolClient } from 'pg'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import {
  accountOrganization,
  type VisibleOrganizations,
  visibleSql,
} from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { operationSql, readOperations, snapshotSql } from './operation-shape.ts'

const shownMax = 50

/** One operation with everything around it. Records that belong to other organizations are left out. */
export async function showOperation(scope: TransactionScope, call: Call): Promise<Reply> {
  const visible = visibleTo(call)
  return await reading(scope, async (client) => {
    const id = await findVisible(client, 'operation', call.params.op_id, visible)
    if (id === null) return notFoundReply()
    const detail = await readDetail(client, id, visible)
    const related = (condition: string) => readOperations(client, visible, condition, [id], shownMax)
    const [original] = await related('op_id = (SELECT related_operation_id FROM finance_operations WHERE op_id = $2)')
    const [reversal] = await related('related_operation_id = $2 AND storno')
    const [parent] = await related('op_id = (SELECT fin_op_id FROM finance_operations WHERE op_id = $2)')
    return json({
      ok: true,
      ...detail,
      original: original ?? null,
      reversal: reversal ?? null,
      parent: parent ?? null,
      children: await related('fin_op_id = $2'),
      audit: await readAudit(client, id, visible),
    })
  })
}

async function readDetail(
  client: PoolClient,
  id: number,
  visible: VisibleOrganizations,
): Promise<Record<string, unknown>> {
  const { rows } = await client.query<{ detail: Record<string, unknown> }>(detailText, [id, visible])
  return rows[0]!.detail
}

/** Snapshots show the account just before the operation; `balance_after` is the balance after it. */
const detailText = `SELECT json_build_object(
    'operation', ${operationSql('operation')},
    'direction', CASE sign(operation.op_summa) WHEN 1 THEN 'income' WHEN -1 THEN 'expense' ELSE 'neutral' END,
    'can_storno', NOT operation.storno AND account.last_operation_id = operation.op_id,
    'snapshot', json_build_object(${snapshotSql('operation')},
      'balance_after', ${rublesSql('(operation.aa_ostatok + operation.op_summa)')}),
    'op_type', (SELECT json_build_object('type_id', type_id, 'op_name', op_name, 'op_sign', op_sign, 'op_descr', op_descr)
      FROM fin_types WHERE type_id = operation.op_type_id),
    'credit_type', (SELECT json_build_object('type_id', type_id, 'op_name', op_name)
      FROM fin_types WHERE type_id = operation.credit_type_id),
    'account', (SELECT json_build_object('id', account.id, 'ostatok', ${rublesSql('account.ostatok')}, 'debit', ${rublesSql('account.debit')},
        'credit', ${rublesSql('account.credit')}, 'limit', ${rublesSql('account."limit"')}, 'unlimited', account.unlimited)
      WHERE ${visibleSql(accountOrganization('account.id'), '$2')}),
    'abonent', (SELECT json_build_object('id', id, 'name', name, 'contract_number', contract_number, 'address', address,
        'enabled', enabled, 'deleted', deleted, 'organization_id', organization_id)
      FROM abonents WHERE id = operation.abonent_id AND ${visibleSql('organization_id', '$2')}),
    'operator', (SELECT json_build_object('id', id, 'name', name, 'contract_number', contract_number)
      FROM abonents WHERE id = operation.operator_id AND ${visibleSql('organization_id', '$2')}),
    'owner', (SELECT json_build_object('id', id, 'username', username) FROM staff WHERE id = operation.owner_id),
    'usluga', (SELECT json_build_object('id', id, 'name', name, 'price', ${rublesSql('price')}) FROM uslugas WHERE id = operation.usluga_id),
    'organization', (SELECT json_build_object('id', id, 'name', name) FROM organizations WHERE id = operation.organization_id),
    'payment', json_build_object('operator_name', operation.operator_name, 'operator_pay_id', operation.operator_pay_id,
      'operator_pay_id_str', operation.operator_pay_id_str, 'operator_result', operation.operator_result, 'txn', operation.txn,
      'is_cash', operation.is_cash, 'sync1c', operation.sync1c, 'code1c', operation.code1c),
    'fiscal', json_build_object('kkm_printed', operation.kkm_printed, 'kkm_storno', operation.kkm_storno,
      'kkm_check_id', operation.kkm_check_id, 'kkm_check_retry_num', operation.kkm_check_retry_num,
      'atol_config_id', operation.atol_config_id, 'has_print_form', operation.print_form IS NOT NULL),
    'chain', json_build_object('seq', operation.chain_seq, 'hash', encode(operation.chain_hash, 'hex')),
    'children_total', (SELECT count(*) FROM finance_operations AS child
      WHERE child.fin_op_id = operation.op_id AND ${visibleSql('child.organization_id', '$2')})) AS detail
  FROM finance_operations AS operation JOIN admin_accounts AS account ON account.id = operation.account_id
  WHERE operation.op_id = $1`

async function readAudit(client: PoolClient, id: number, visible: VisibleOrganizations): Promise<unknown[]> {
  const { rows } = await client.query<{ item: unknown }>(
    `SELECT json_build_object('id', id, 'at', at, 'user', user_name, 'address', address, 'action', action, 'diff', diff) AS item
      FROM audit_operations WHERE table_name = 'FINANCE_OPERATIONS' AND object_id = $1
        AND ($2::int8[] IS NULL OR organization_id = ANY($2::int8[])) ORDER BY at DESC, id DESC LIMIT ${shownMax}`,
    [String(id), visible],
  )
  return rows.map(({ item }) => item)
}
