import { zstdDecompressSync } from 'node:zlib'
import type { Client } from 'pg'
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams'
import { tableOf } from './dump.ts'
import type { DumpedTable, Manifest } from './manifest.ts'
import { BackupRefusal } from './refusal.ts'
import type { Entry } from './tar.ts'

/** PostgreSQL writes no row that is longer as text, and a part is little more than one row where that is long. */
const partBytesMax = 2 ** 30 + 2 ** 23

/** Writes the rows of an archive by one COPY for each table, whose entries follow each other. */
export class RowLoader {
  readonly #client: Client
  /** Those that are still to come. */
  readonly #tables: Map<string, DumpedTable>
  readonly #partitioned: ReadonlySet<string>
  readonly #total: number
  #done = 0
  #open: { readonly table: DumpedTable; readonly copy: CopyStreamQuery; readonly failed: Promise<never> } | null = null

  constructor(client: Client, { tables }: Manifest, partitioned: ReadonlySet<string>) {
    this.#client = client
    this.#tables = new Map(tables.map((table) => [table.name, table]))
    this.#partitioned = partitioned
    this.#total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** An entry that is not of the database is passed over. Answers how far it is. */
  async take({ name, content }: Entry): Promise<{ what: string; done: number; total: number }> {
    const what = tableOf(name)
    if (what !== null) {
      if (this.#open?.table.name !== what) {
        await this.#close()
        this.#begin(what)
      }
      const rows = this.#unpacked(name, content)
      const { copy, failed } = this.#open!
      await Promise.race([failed, new Promise<void>((written) => copy.write(rows, () => written()))])
      this.#done += rows.length
    }
    return { what: what ?? name, done: this.#done, total: this.#total }
  }

  /** No more than the manifest says that all tables have, so that a small entry cannot take all memory there is. */
  #unpacked(name: string, content: Buffer): Buffer {
    try {
      return zstdDecompressSync(content, { maxOutputLength: Math.min(this.#total - this.#done + 1, partBytesMax) })
    } catch {
      throw new BackupRefusal(`The archive is damaged at ${name}: take another copy of it.`)
    }
  }

  async end(): Promise<void> {
    await this.#close()
    const missing = [...this.#tables.values()].find(({ rows }) => rows > 0)
    if (missing) throw new BackupRefusal(`The archive has no rows of ${missing.name}, and should have ${missing.rows}.`)
  }

  #begin(name: string): void {
    const table = this.#tables.get(name)
    if (table === undefined) throw new BackupRefusal(`The archive has rows of ${name} that its manifest does not know.`)
    this.#tables.delete(name)
    const columns = table.columns.map((column) => this.#client.escapeIdentifier(column)).join(', ')
    // Rows of a table that this transaction has emptied are written as old ones, so that no VACUUM has to follow.
    const options = this.#partitioned.has(name) ? '' : ' (FREEZE)'
    const copy = this.#client.query(copyFrom(`COPY public.${name} (${columns}) FROM STDIN${options}`))
    // The stream tells it once, perhaps between two writes, and takes what is written afterwards for good.
    const failed = new Promise<never>((_, reject) => copy.on('error', reject))
    failed.catch(() => {})
    this.#open = { table, copy, failed }
  }

  async #close(): Promise<void> {
    if (this.#open === null) return
    const { copy, table, failed } = this.#open
    this.#open = null
    await Promise.race([failed, new Promise<void>((ended) => copy.end(() => ended()))])
    if (copy.rowCount !== table.rows)
      throw new BackupRefusal(`The archive has ${copy.rowCount} rows of ${table.name}, and should have ${table.rows}.`)
  }
}
