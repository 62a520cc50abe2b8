/**
 * SQL: the moment before which a debt of at least so many days began, by the time zone of the session. `debt_since` of
 * an account is compared with it, so that old debts are a range of its index.
 */
export const debtBeganBeforeSql = (days: string | number): string => `(current_date - ${days} + 1)::timestamptz`
