import { Migration } from '@mikro-orm/migrations'

/** Who started a run of a job by hand was written nowhere, so that nobody could be asked why. */
export class StartersOfJobs extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE job_runs ADD COLUMN user_name text')
  }
}
