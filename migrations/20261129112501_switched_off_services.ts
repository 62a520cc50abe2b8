import { Migration } from '@mikro-orm/migrations'

/**
 * A service that a client switched on and off again between two runs of the billing worker was never charged. A trigger
 * notes when one was switched off, whoever writes, so that the next run charges the days it was on.
 */
export class SwitchedOffServices extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE users_uslugas ADD COLUMN off_at timestamptz;
      CREATE INDEX users_uslugas_off ON users_uslugas (off_at) WHERE off_at IS NOT NULL;
    `)
    this.addSql(`
      CREATE FUNCTION tollgate_off_at() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.off_at := CASE WHEN NEW.enabled THEN NULL ELSE now() END;
        RETURN NEW;
      END $$;

      CREATE TRIGGER users_uslugas_off_at BEFORE UPDATE OF enabled ON users_uslugas FOR EACH ROW
        WHEN (NEW.enabled IS DISTINCT FROM OLD.enabled) EXECUTE FUNCTION tollgate_off_at();
    `)
  }
}
