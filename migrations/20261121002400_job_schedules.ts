import { Migration } from '@mikro-orm/migrations'

/** When jobs run is set like everything else; a run that must be made up says so itself. A value somebody has set is never overwritten. */
export class JobSchedules extends Migration {
  override up(): void {
    this.addSql(`
      INSERT INTO system_settings (name, value) VALUES
        ('JOB_PERIOD_PROCESS_BLOCKS', '5'),
        ('JOB_PERIOD_CHECK_EXPIRED_PROMISES', '15'),
        ('JOB_TIME_BILLING_WORKER', '00:05'),
        ('JOB_TIME_PUSH_PROMISE_PAY_EXPIRING', '10:00'),
        ('JOB_TIME_PUSH_PROMISE_PAY_EXPIRED', '10:00'),
        ('JOB_TIME_VERIFY_LEDGER', '03:30'),
        ('JOB_TIME_RETENTION', '04:30')
      ON CONFLICT (name) DO NOTHING
    `)
    this.addSql('ALTER TABLE job_runs ADD COLUMN again bool NOT NULL DEFAULT false')
    // Until now only finished runs were recorded.
    this.addSql('UPDATE job_runs SET ended_at = started_at WHERE ended_at IS NULL')
  }
}
