import { Migration } from '@mikro-orm/migrations'

/**
 * Orders, gateways and cash desks take keys of their own, apart from those that staff enter. What was taken before stays
 * taken: by the order, by the gateway, by the cash desk, and as a receipt of its account and amount.
 */
export class KeySpaces extends Migration {
  override up(): void {
    const insert = 'INSERT INTO money_keys (key, account_id, op_id, amount, created_at)'
    const known = 'account_id, op_id, amount, created_at'
    this.addSql(`
      ${insert} SELECT 'order:' || substr(key, 5) || ':' || account_id || ':' || amount, ${known}
        FROM money_keys WHERE key ~ '^txn:[1-9][0-9]{0,14}$' AND amount > 0;
      ${insert} SELECT 'order:' || id || ':' || paid.account_id || ':' || paid.amount, known.account_id, known.op_id, known.amount,
          known.created_at
        FROM payment_orders AS paid JOIN money_keys AS known ON known.key = 'txn:' || paid.id AND known.op_id = paid.operation_id
        WHERE paid.account_id IS NOT NULL ON CONFLICT (key) DO NOTHING;
      ${insert} SELECT DISTINCT ON (known.key) 'gateway:' || substr(known.key, 5), known.account_id, known.op_id, known.amount, known.created_at
        FROM payment_orders AS paid JOIN money_keys AS known
          ON known.key = 'pay:' || paid.gateway || ':' || paid.gateway_id AND known.op_id = paid.operation_id;
      ${insert} SELECT 'desk:' || substr(key, 5), ${known}
        FROM money_keys WHERE key LIKE 'pay:%' AND key NOT LIKE 'pay:gwa:%' AND key NOT LIKE 'pay:gwb:%';
      ${insert} SELECT 'receipt:' || account_id || ':' || amount || ':' || substr(key, 5), ${known}
        FROM money_keys WHERE key LIKE 'pay:%' AND amount > 0`)
  }
}
