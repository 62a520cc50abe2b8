import { Migration } from '@mikro-orm/migrations'

/** Rows whose numbers the specification fixes, and what the first subscriber needs: an organization and a currency. */
export class FixedRows extends Migration {
  override up(): void {
    this.addSql(`
      INSERT INTO organizations (id, name) VALUES (1, 'Default organization');

      INSERT INTO currencies (id, code, name, is_default) VALUES (1, 'RUB', 'Russian ruble', true);

      INSERT INTO fin_types (type_id, op_name, op_sign, op_descr, is_common) VALUES
        (3, 'Monthly service charge', -1, 'Monthly charge for services', false),
        (7, 'Manual receipt', 1, 'Receipt entered by an operator', true),
        (9, 'Manual expense', -1, 'Expense entered by an operator; the fee for a promise payment', true),
        (23, 'Payment through gateway A', 1, NULL, true),
        (24, 'Payment through gateway B', 1, NULL, true),
        (31, 'Promise payment', 1, 'Limit of a promise payment; returned when it ends', false),
        (32, 'Monthly tariff charge', -1, NULL, true),
        (33, 'Tariff change', 0, 'Remark in the history; moves no money', false),
        (40, 'Cash desk', 1, 'Receipt at a cash desk or terminal', true);

      -- summa is the amount offered when none is named. The price stays 0: it would be charged daily while the promise lasts.
      INSERT INTO uslugas (id, name, price, summa, system_type, end_count_days) VALUES
        (30353, 'Promise payment', 0, NULL, 11, 5),
        (-3, 'Promise payment, postpay', 0, 900000000000, NULL, 3),
        (-4, 'Promise payment, prepay', 0, 900000000000, NULL, 3);

      SELECT setval(pg_get_serial_sequence('organizations', 'id'), 1),
        setval(pg_get_serial_sequence('currencies', 'id'), 1),
        setval(pg_get_serial_sequence('fin_types', 'type_id'), 99),
        setval(pg_get_serial_sequence('uslugas', 'id'), 30353);
    `)
  }
}
