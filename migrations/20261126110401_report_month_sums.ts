import { Migration } from '@mikro-orm/migrations'

/**
 * A report of a year by tariff read three million sums, because the tariff multiplies them. Months of 64 buckets together are a fortieth of
 * that. roll_up_reports makes them of the sums that are there; a posting writes none of them.
 */
export class ReportMonthSums extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE report_groups (
        bucket_group int8 PRIMARY KEY
      );
      CREATE TABLE report_month_sums (
        bucket_group int8 NOT NULL,
        month date NOT NULL,
        organization_id int8 NOT NULL,
        op_type_id int8 NOT NULL,
        channel text NOT NULL,
        owner_id int8 NOT NULL,
        tarif_id int8 NOT NULL,
        is_document bool NOT NULL,
        operations int8 NOT NULL,
        income numeric(38,0) NOT NULL,
        expense numeric(38,0) NOT NULL,
        PRIMARY KEY (bucket_group, month, organization_id, op_type_id, channel, owner_id, tarif_id, is_document)
      );
    `)
  }
}
