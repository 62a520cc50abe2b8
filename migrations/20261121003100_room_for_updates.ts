import { Migration } from '@mikro-orm/migrations'

/**
 * A block or its end changes a row of subscribers and of logins, never an indexed column of it. Where the new version has room on the page
 * of the old one, none of the nineteen indexes of subscribers is touched. Pages written from now on keep a fifth of themselves free for
 * that; older ones find room when they are next cleaned.
 */
export class RoomForUpdates extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE abonents SET (fillfactor = 80);
      ALTER TABLE users SET (fillfactor = 80);
      ALTER TABLE admin_accounts SET (fillfactor = 80);
    `)
  }
}
