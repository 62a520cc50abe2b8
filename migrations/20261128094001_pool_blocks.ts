import { Migration } from '@mikro-orm/migrations'

/** Several programs on one database give out the addresses of a pool by blocks, so that none has to ask another one. */
export class PoolBlocks extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE pool_blocks (
        first int8 PRIMARY KEY,
        size int4 NOT NULL,
        node int4 NOT NULL,
        folder uuid NOT NULL,
        until timestamptz
      )`)
  }
}
