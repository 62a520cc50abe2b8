import { Migration } from '@mikro-orm/migrations'

/**
 * The billing worker remembers how a month is charged and up to which day it has been, so that a change of mode counts from the
 * next month and no day is missed. What begins to cost something in the middle of a month is charged from that moment on: a service
 * switched on or given a price, a free tariff that gets one; triggers note it, whoever writes.
 */
export class Charges extends Migration {
  override up(): void {
    this.addSql(`
      INSERT INTO fin_types (type_id, op_name, op_sign, op_descr, is_common)
      VALUES (41, 'Recalculation', 1, 'Part of a charge given back: the subscriber left, or the tariff became cheaper', false)
      ON CONFLICT (type_id) DO NOTHING;

      CREATE TABLE charge_months (
        month text PRIMARY KEY,
        mode text NOT NULL,
        begun_at timestamptz NOT NULL DEFAULT now(),
        charged_through date,
        CONSTRAINT charge_months_mode CHECK (mode IN ('monthly', 'daily'))
      );

      ALTER TABLE tarifs ADD COLUMN priced_from timestamptz;
      ALTER TABLE uslugas ADD COLUMN priced_from timestamptz;
      ALTER TABLE users_uslugas ADD COLUMN charged_from timestamptz;
    `)
    this.addSql(`
      CREATE FUNCTION tollgate_priced_from() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.priced_from := now();
        RETURN NEW;
      END $$;

      CREATE FUNCTION tollgate_charged_from() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.charged_from := now();
        RETURN NEW;
      END $$;

      CREATE TRIGGER tarifs_priced_from BEFORE UPDATE OF price ON tarifs FOR EACH ROW
        WHEN (OLD.price <= 0 AND NEW.price > 0) EXECUTE FUNCTION tollgate_priced_from();

      CREATE TRIGGER uslugas_priced_from BEFORE UPDATE OF price, summa ON uslugas FOR EACH ROW
        WHEN (coalesce(OLD.summa, OLD.price) <= 0 AND coalesce(NEW.summa, NEW.price) > 0)
        EXECUTE FUNCTION tollgate_priced_from();

      CREATE TRIGGER users_uslugas_charged_from BEFORE UPDATE OF enabled, summ, countt ON users_uslugas FOR EACH ROW
        WHEN (NEW.enabled AND coalesce(NEW.summ, 1) > 0 AND NEW.countt > 0
          AND NOT (OLD.enabled AND coalesce(OLD.summ, 1) > 0 AND OLD.countt > 0))
        EXECUTE FUNCTION tollgate_charged_from();
    `)
  }
}
