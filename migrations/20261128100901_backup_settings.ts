import { Migration } from '@mikro-orm/migrations'

/** A job makes backups, where the provider names a folder for them. */
export class BackupSettings extends Migration {
  override up(): void {
    this.addSql(
      `INSERT INTO system_settings (name, value) VALUES ('JOB_TIME_BACKUP', '02:30'), ('BACKUP_FOLDER', ''), ('BACKUP_KEEP', '14'),
        ('BACKUP_PASSPHRASE', '') ON CONFLICT (name) DO NOTHING`,
    )
  }
}
