/** SQL: an operation by which its account came below zero. */
export const intoDebtSql = (operation: string): string =>
  `(${operation}.aa_ostatok >= 0 AND ${operation}.op_summa < -${operation}.aa_ostatok)`

/**
 * SQL: since when the balance of an account that is below zero has been so; since it was opened, where no operation
 * tells.
 */
export const debtSinceSql = (account: string): string => `coalesce((SELECT fall.op_date FROM finance_operations AS fall
  WHERE fall.account_id = ${account}.id AND ${intoDebtSql('fall')} ORDER BY fall.op_id DESC LIMIT 1), ${account}.create_date)`

/** SQL: for how many days that has been so, by the time zone of the session. */
export const debtDaysSql = (account: string): string => `greatest(current_date - ${debtSinceSql(account)}::date, 0)`
