import { Client } from 'pg'

/**
 * The clock of a database as its clients read it, which a test may set: `clock_timestamp()` of those connections that are
 * opened from `open` on. `url` is the address of the owner of the database.
 */
export class DatabaseTime {
  readonly #url: string

  private constructor(url: string) {
    this.#url = url
  }

  static async open(url: string): Promise<DatabaseTime> {
    const time = new DatabaseTime(url)
    await time.#run(schema)
    return time
  }

  /** Rejects when the database is away. */
  async set(aheadMs: number): Promise<void> {
    await this.#run(`UPDATE moved.clock SET ahead = ${aheadMs} * interval '1 ms'`)
  }

  async #run(text: string): Promise<void> {
    const client = new Client({ connectionString: this.#url })
    client.on('error', () => {})
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
}

/** Who names no schema finds ours first. */
const schema = `
CREATE SCHEMA moved;
CREATE TABLE moved.clock AS SELECT interval '0' AS ahead;
CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS 'SELECT pg_catalog.clock_timestamp() + (SELECT ahead FROM moved.clock)';
GRANT USAGE ON SCHEMA moved TO PUBLIC;
GRANT ALL ON moved.clock TO PUBLIC;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = moved, pg_catalog, public', current_database()); END $$`
