import { Migration } from '@mikro-orm/migrations'

/**
 * A report by day and tariff read the sums of every bucket, two million of them for a year of ten million operations.
 * Days of 64 buckets together are a third of that. roll_up_reports makes them, and of them those by month; a posting
 * writes none. Until it has, reports are answered from the sums of the buckets.
 */
export class ReportDaySums extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE report_groups ADD COLUMN has_days bool NOT NULL DEFAULT false;
      CREATE TABLE report_day_sums (
        bucket_group int8 NOT NULL,
        day date NOT NULL,
        organization_id int8 NOT NULL,
        op_type_id int8 NOT NULL,
        channel text NOT NULL,
        owner_id int8 NOT NULL,
        tarif_id int8 NOT NULL,
        is_document bool NOT NULL,
        operations int8 NOT NULL,
        income numeric(38,0) NOT NULL,
        expense numeric(38,0) NOT NULL,
        PRIMARY KEY (bucket_group, day, organization_id, op_type_id, channel, owner_id, tarif_id, is_document)
      );
      CREATE INDEX report_day_sums_day ON report_day_sums (day);
    `)
  }
}
