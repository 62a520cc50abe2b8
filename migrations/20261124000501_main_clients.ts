import { Migration } from '@mikro-orm/migrations'

/**
 * Every subscriber knows whether he is the main client of his account, the first by id, so that a list of accounts by
 * name walks along one index in place of asking each client for earlier ones. Postings never change what is written
 * here: neither the account of a subscriber nor the limit or the creation of an account.
 */
export class MainClients extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE abonents ADD COLUMN is_main boolean NOT NULL DEFAULT true')
    this.addSql(`CREATE FUNCTION tollgate_mark_main_clients(accounts int8[]) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        -- Who adds a client to an account or takes one away waits for others who do, and then sees what they did.
        PERFORM FROM admin_accounts WHERE id = ANY (accounts) ORDER BY id FOR NO KEY UPDATE;
        UPDATE abonents SET is_main = NOT abonents.is_main
          FROM (SELECT account_id, min(id) AS first FROM abonents WHERE account_id = ANY (accounts) GROUP BY account_id) AS main
          WHERE abonents.account_id = main.account_id AND abonents.is_main <> (abonents.id = main.first);
      END $$`)
    this.addSql(`CREATE FUNCTION tollgate_main_clients() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'UPDATE' THEN PERFORM tollgate_mark_main_clients(ARRAY[OLD.account_id, NEW.account_id]);
        ELSE PERFORM tollgate_mark_main_clients(array_agg(DISTINCT account_id)) FROM changed;
        END IF;
        RETURN NULL;
      END $$`)
    for (const event of ['INSERT', 'DELETE'])
      this.addSql(`CREATE TRIGGER abonents_main_${event.toLowerCase()} AFTER ${event} ON abonents
        REFERENCING ${event === 'INSERT' ? 'NEW' : 'OLD'} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tollgate_main_clients()`)
    this.addSql(`CREATE TRIGGER abonents_main_update AFTER UPDATE OF account_id ON abonents FOR EACH ROW
      WHEN (OLD.account_id IS DISTINCT FROM NEW.account_id) EXECUTE FUNCTION tollgate_main_clients()`)
    this.addSql(`UPDATE abonents SET is_main = false
      WHERE EXISTS (SELECT FROM abonents AS earlier WHERE earlier.account_id = abonents.account_id AND earlier.id < abonents.id)`)
    this.addSql('DROP INDEX abonents_live_name')
    this.addSql('CREATE INDEX abonents_name ON abonents (name, id) INCLUDE (account_id, deleted, is_main)')
    this.addSql('CREATE INDEX abonents_further ON abonents (account_id) WHERE NOT is_main')
    this.addSql('CREATE INDEX admin_accounts_limit ON admin_accounts ("limit", id)')
    this.addSql('CREATE INDEX admin_accounts_create_date ON admin_accounts (create_date, id)')
  }
}
