import { Migration } from '@mikro-orm/migrations'

/**
 * A service that was switched off before midnight and on again before the run of the billing worker was charged from
 * then on, and the day before, on which it had been switched on first, was never charged. Where no whole day lies
 * between off and on, the trigger notes since when it has been on. What was free while it was on is not charged later.
 */
export class ServicesOnAgain extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE users_uslugas ADD COLUMN on_since timestamptz;
      CREATE INDEX users_uslugas_again ON users_uslugas (charged_from) WHERE on_since IS NOT NULL;
    `)
    this.addSql(`
      CREATE FUNCTION tollgate_service_on() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        zone text := coalesce((SELECT value FROM system_settings WHERE name = 'TIME_ZONE'), 'Europe/Moscow');
      BEGIN
        NEW.on_since := CASE WHEN NOT OLD.enabled
            AND (OLD.off_at AT TIME ZONE zone)::date >= (now() AT TIME ZONE zone)::date - 1
          THEN coalesce(OLD.on_since, OLD.charged_from, OLD.create_date) END;
        NEW.charged_from := now();
        RETURN NEW;
      END $$;

      DROP TRIGGER users_uslugas_charged_from ON users_uslugas;
      CREATE TRIGGER users_uslugas_charged_from BEFORE UPDATE OF enabled, summ, countt ON users_uslugas FOR EACH ROW
        WHEN (NEW.enabled AND coalesce(NEW.summ, 1) > 0 AND NEW.countt > 0
          AND NOT (OLD.enabled AND coalesce(OLD.summ, 1) > 0 AND OLD.countt > 0))
        EXECUTE FUNCTION tollgate_service_on();

      CREATE FUNCTION tollgate_free_while_on() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.off_at := NULL;
        RETURN NEW;
      END $$;

      CREATE TRIGGER users_uslugas_free_while_on BEFORE UPDATE OF summ, countt ON users_uslugas FOR EACH ROW
        WHEN (NOT OLD.enabled AND NOT (coalesce(OLD.summ, 1) > 0 AND OLD.countt > 0)
          AND coalesce(NEW.summ, 1) > 0 AND NEW.countt > 0)
        EXECUTE FUNCTION tollgate_free_while_on();
    `)
  }
}
