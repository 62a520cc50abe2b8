import { webcrypto } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Client, ClientBase } from 'pg'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import type { StaffRunFile } from '../../platform/storage/entities/program.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { importChunkLines } from '../runs/run-table.ts'
import type { ColumnName } from './columns.ts'
import type { Reading } from './file.ts'
import { inTransaction } from './transaction.ts'

/** A file as it was sent, and how it is to be read. */
export type SentSubscribers = { readonly content: Uint8Array; readonly reading: Reading }

const nonceBytes = 12
const lineFeed = 10
/** PostgreSQL hands bytes out as text, and a whole file would hold up the event loop. */
const pieceBytes = 1024 * 1024
const { subtle } = webcrypto

/** What is left of an import. A chunk is settled in the transaction that imports it, and so once. */
export class ImportRest {
  readonly #client: Client
  readonly #run: number

  constructor(client: Client, run: number) {
    this.#client = client
    this.#run = run
  }

  /** Until the file was read, more lines than it has may have been noted. */
  async endsAt(last: number): Promise<void> {
    await this.#client.query('DELETE FROM staff_run_rest WHERE run_id = $1 AND record >= $2', [this.#run, last])
  }

  /** Whether the chunk behind the line `after` was left until now. */
  async settle(writer: ClientBase, after: number): Promise<boolean> {
    const text = 'DELETE FROM staff_run_rest WHERE run_id = $1 AND record = $2'
    return (await writer.query(text, [this.#run, after])).rowCount === 1
  }
}

/**
 * Keeps the file of a run, with all of its chunks as its rest, before anything is imported. It has passwords in it, so
 * it is encrypted, with a key of its own.
 */
export async function keepFile(
  client: Client,
  secrets: Secrets,
  run: number,
  { content, reading: { encoding = 'utf-8', columns = null } }: SentSubscribers,
): Promise<void> {
  const key = webcrypto.getRandomValues(Buffer.alloc(32))
  const nonce = webcrypto.getRandomValues(Buffer.alloc(nonceBytes))
  const encrypted = await subtle.encrypt(
    { name: 'AES-GCM', iv: nonce },
    await keyOf(key),
    await promisify(gzip)(content),
  )
  const lines = await linesOf(content)
  const kept = [run, encoding, columns?.join(',') ?? null, secrets.seal(key.toString('base64'))]
  await inTransaction(client, async () => {
    await client.query(
      'INSERT INTO staff_run_files (run_id, encoding, columns, key, content) VALUES ($1, $2, $3, $4, $5)',
      [...kept, Buffer.concat([nonce, Buffer.from(encrypted)])],
    )
    await client.query(
      `INSERT INTO staff_run_rest (run_id, record) SELECT $1, generate_series(0, $2::int8, ${importChunkLines})`,
      [run, lines],
    )
  })
}

/** Takes over the file that another run has left, and its rest. Null: there is none any more. */
export async function takeFile(
  client: Client,
  secrets: Secrets,
  run: number,
  from: number,
): Promise<SentSubscribers | null> {
  type Row = Pick<RowOf<typeof StaffRunFile>, 'encoding' | 'columns' | 'key'> & { readonly bytes: number }
  const file = await inTransaction(client, async () => {
    const { rows } = await client.query<Row>(
      `UPDATE staff_run_files SET run_id = $1 WHERE run_id = $2
        RETURNING encoding, columns, key, octet_length(content) AS bytes`,
      [run, from],
    )
    await client.query('UPDATE staff_run_rest SET run_id = $1 WHERE run_id = $2', [run, from])
    return rows[0]
  })
  if (!file) return null
  const encrypted = await contentOf(client, run, file.bytes)
  const packed = await subtle.decrypt(
    { name: 'AES-GCM', iv: encrypted.subarray(0, nonceBytes) },
    await keyOf(Buffer.from(secrets.open(file.key), 'base64')),
    encrypted.subarray(nonceBytes),
  )
  const columns = (file.columns?.split(',') ?? null) as (ColumnName | '')[] | null
  return { content: await promisify(gunzip)(packed), reading: { encoding: file.encoding, columns } }
}

/** The import has ended well. */
export async function dropFile(client: Client, run: number): Promise<void> {
  await client.query('DELETE FROM staff_run_files WHERE run_id = $1', [run])
}

async function contentOf(client: Client, run: number, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes; at += pieceBytes) {
    const { rows } = await client.query<{ piece: Buffer }>(
      'SELECT substring(content FROM $2 FOR $3) AS piece FROM staff_run_files WHERE run_id = $1',
      [run, at + 1, pieceBytes],
    )
    pieces.push(rows[0]!.piece)
  }
  return Buffer.concat(pieces)
}

const keyOf = (bytes: Uint8Array<ArrayBuffer>) =>
  subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])

/** No record of the file stands in a later line. RADIUS is answered between two pieces. */
async function linesOf(content: Uint8Array): Promise<number> {
  let lines = 1
  for (let from = 0; from < content.length; from += pieceBytes) {
    const piece = content.subarray(from, from + pieceBytes)
    for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, at + 1)) lines++
    await setImmediate()
  }
  return lines
}
