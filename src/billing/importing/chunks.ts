import type { Client, ClientBase } from 'pg'
import { advisoryLocks } from '../../platform/storage/advisory-locks.ts'
import { withConnection } from '../../platform/storage/connection.ts'
import type { Author } from '../../domain/author.ts'
import { importChunkLines as chunkLines } from '../runs/run-table.ts'
import { becomeWriter, createChunk } from './creation.ts'
import type { ImportRest } from './kept-import.ts'
import type { Shown } from './progress.ts'
import { checkChunk, copyChunk, createChunkStaging, leaveChunk } from './staging.ts'

/** A file in the staging table of `client`, up to the line `last`. */
type StagedFile = {
  readonly client: Client
  /** For the connections that create subscribers. */
  readonly url: string
  readonly last: number
  readonly progress: Shown
  readonly author: Author
  /** Ends the work after a chunk; null: nobody does. */
  readonly signal: AbortSignal | null
  /** The chunks that are still to be imported; null: all are, and nobody notes them. */
  readonly rest: ImportRest | null
  /** The lines are of another server, where a subscriber may have several. */
  readonly isMoved: boolean
}

// A chunk takes PostgreSQL half a second. That long another writer of one of its contract numbers may have to wait.
const triesMax = 5

/**
 * SQLSTATEs of a conflict with another writer: it took a contract number, a login or a key after the chunk was checked,
 * or there was a deadlock.
 */
const conflicts = new Set(['23505', '40P01'])

/** The first line from `next` on behind which `count` lines, this one included, are in one chunk. */
export function lineInOneChunk(next: number, count: number): number {
  const chunkOf = (line: number) => Math.floor((line - 1) / chunkLines)
  return chunkOf(next) === chunkOf(next + count - 1) ? next : (chunkOf(next) + 1) * chunkLines + 1
}

/** Compares the lines with the current tables. */
export const checkLines = ({ client, last, progress, signal, isMoved }: StagedFile): Promise<void> =>
  new Chunks(last, progress, signal).work((after, upTo) => checkChunk(client, after, upTo, isMoved))

/**
 * The same, and creates the subscribers that are new, each chunk in one transaction. Two connections do so, each with
 * chunks of its own, unless another program works on the database, which then keeps a processor for itself.
 */
export async function createLines(file: StagedFile): Promise<void> {
  const { client, url, last, progress, signal } = file
  const chunks = new Chunks(last, progress, signal)
  const create = () => withConnection(url, (writer) => createChunks(file, writer, chunks))
  await chunks.allDone((await isServed(client)) ? [create()] : [create(), create()])
}

/** The chunks of a file, each of which is given to one worker. */
class Chunks {
  readonly last: number
  readonly #progress: Shown
  readonly #signal: AbortSignal | null
  #next = 0
  #done = 0

  constructor(last: number, progress: Shown, signal: AbortSignal | null) {
    this.last = last
    this.#progress = progress
    this.#signal = signal
  }

  async work(work: (after: number, upTo: number) => Promise<void>): Promise<void> {
    while (this.#next < this.last) {
      this.#signal?.throwIfAborted()
      const after = this.#next
      const upTo = Math.min(this.last, after + chunkLines)
      this.#next = upTo
      await work(after, upTo)
      this.#done += upTo - after
      this.#progress.at(this.#done)
    }
  }

  /** Rejects with the first error, once every worker has ended. No chunk is begun after an error. */
  async allDone(workers: readonly Promise<void>[]): Promise<void> {
    const stop = () => {
      this.#next = this.last
    }
    const all = Promise.all(workers)
    all.catch(stop)
    await Promise.allSettled(workers)
    await all
  }
}

/** Whether another program works on this database: `serve` holds this lock for as long as it runs. */
async function isServed(client: ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${advisoryLocks.secretKeyUse} AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  return rowCount! > 0
}

async function createChunks(file: StagedFile, writer: ClientBase, chunks: Chunks): Promise<void> {
  await becomeWriter(writer, file.author)
  await createChunkStaging(writer)
  await chunks.work((after, upTo) => importChunk(file, writer, after, upTo))
}

/** What was imported by another run is only compared with the tables, so that this one can tell of every line. */
async function importChunk({ client, rest, isMoved }: StagedFile, writer: ClientBase, after: number, upTo: number) {
  for (let tries = 1; ; tries++) {
    await checkChunk(client, after, upTo, isMoved)
    await writer.query('BEGIN')
    try {
      const isLeft = rest === null || (await rest.settle(writer, after))
      if (isLeft) {
        await copyChunk(client, writer, after, upTo)
        await createChunk(writer)
      }
      await writer.query('COMMIT')
      if (!isLeft) await leaveChunk(client, after, upTo)
      return
    } catch (error) {
      // An error of the rollback would hide the one that caused it.
      await writer.query('ROLLBACK').catch(() => {})
      // The other writer has committed, so another check sees what it wrote.
      if (tries === triesMax || !conflicts.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}
