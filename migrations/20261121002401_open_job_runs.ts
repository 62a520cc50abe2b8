import { Migration } from '@mikro-orm/migrations'

/** Each start looks for runs of its job that were cut off; jobs of every minute leave a hundred thousand that were not. */
export class OpenJobRuns extends Migration {
  override up(): void {
    this.addSql('CREATE INDEX job_runs_open ON job_runs (name) WHERE ok IS NULL')
  }
}
