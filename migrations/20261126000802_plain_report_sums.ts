import { Migration } from '@mikro-orm/migrations'

/** Sums without the tariff are a twentieth of those with it, and most reports do not ask for it. Those that are there are made anew. */
export class PlainReportSums extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE report_plain_sums (
        bucket int8 NOT NULL,
        day date NOT NULL,
        organization_id int8 NOT NULL,
        op_type_id int8 NOT NULL,
        channel text NOT NULL,
        owner_id int8 NOT NULL,
        is_document bool NOT NULL,
        operations int8 NOT NULL,
        income numeric(38,0) NOT NULL,
        expense numeric(38,0) NOT NULL,
        PRIMARY KEY (bucket, day, organization_id, op_type_id, channel, owner_id, is_document)
      );
      CREATE INDEX report_plain_sums_day ON report_plain_sums (day);
      DELETE FROM report_sums;
      DELETE FROM report_parts;
    `)
  }
}
