import type { Pool } from 'pg'

/** What the tables say at the end, as plain data. */
export type Tables = {
  readonly operations: readonly OperationRow[]
  readonly balances: ReadonlyMap<number, bigint>
  readonly sessions: readonly SessionRow[]
  readonly lines: readonly LineRow[]
  /** The keys of payments that were not credited because nobody knows their order. */
  readonly kept: ReadonlySet<string>
}

export type OperationRow = {
  readonly id: number
  readonly account: number
  readonly subscriber: number | null
  readonly type: number
  readonly amount: bigint
  readonly description: string
  readonly operator: string | null
  readonly payId: string | null
  readonly reversalOf: number | null
}

export type SessionRow = {
  readonly nasIp: string
  readonly sessionId: string
  readonly login: string
  readonly ip: string | null
  readonly seconds: number
  readonly input: bigint
  readonly output: bigint
  readonly isOpen: boolean
  readonly endReason: string | null
}

export type LineRow = {
  readonly login: string
  readonly subscriber: number
  /** Users.enabled. */
  readonly enabled: boolean
  readonly operatorBlock: boolean
  readonly hasPromise: boolean
}

export async function readTables(pool: Pool): Promise<Tables> {
  const operations =
    await pool.query(`SELECT op_id, account_id, abonent_id, op_type_id, op_summa, descr, operator_name, operator_pay_id_str,
    related_operation_id FROM finance_operations ORDER BY op_id`)
  const balances = await pool.query('SELECT id, ostatok FROM admin_accounts')
  const sessions =
    await pool.query(`SELECT host(nas.ip) AS nas_ip, acct_session_id, login, host(coalesce(framed_ip, offered_ip)) AS ip, session_time, input_octets, output_octets,
    ended_at IS NULL AS open, end_reason FROM radius_sessions JOIN nas ON nas.id = nas_id`)
  const lines =
    await pool.query(`SELECT login, abonents.id, users.enabled, coalesce(b_admin, false) AS b_admin, promise_date_end
    FROM users JOIN abonents ON abonents.id = users.abonent_id LEFT JOIN abonents_block ON abonents_block.abonent_id = abonents.id`)
  const kept = await pool.query(
    `SELECT gateway || ':' || gateway_id AS key FROM payment_problems WHERE reason = 'unknownOrder'`,
  )
  return {
    kept: new Set(kept.rows.map(({ key }) => key)),
    operations: operations.rows.map((row) => ({
      id: Number(row.op_id),
      account: Number(row.account_id),
      subscriber: row.abonent_id === null ? null : Number(row.abonent_id),
      type: Number(row.op_type_id),
      amount: BigInt(row.op_summa),
      description: row.descr ?? '',
      operator: row.operator_name,
      payId: row.operator_pay_id_str,
      reversalOf: row.related_operation_id === null ? null : Number(row.related_operation_id),
    })),
    balances: new Map(balances.rows.map(({ id, ostatok }) => [Number(id), BigInt(ostatok)])),
    sessions: sessions.rows.map((row) => ({
      nasIp: row.nas_ip,
      sessionId: row.acct_session_id,
      login: row.login,
      ip: row.ip,
      seconds: Number(row.session_time),
      input: BigInt(row.input_octets),
      output: BigInt(row.output_octets),
      isOpen: row.open,
      endReason: row.end_reason,
    })),
    lines: lines.rows.map((row) => ({
      login: row.login,
      subscriber: Number(row.id),
      enabled: row.enabled,
      operatorBlock: row.b_admin,
      hasPromise: row.promise_date_end !== null,
    })),
  }
}
