import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What batch-udp.c exports. */
export type BatchUdp = {
  /** The maximum of datagrams in a batch, the size of the input in bytes, and the maximum of answers in one send. */
  readonly slots: number
  readonly inputBytes: number
  readonly queue: number
  /** The SHA-256 of the source that it was compiled from, in hex. */
  readonly source: string
  open(
    address: string,
    port: number,
    sharesPort: boolean,
    receiveBufferBytes: number,
    input: Uint8Array,
    received: Int32Array,
    output: Uint8Array,
    queue: Int32Array,
    onBatch: (count: number, notSent: number) => void,
    /** When each datagram arrived; null: nobody wants to know. */
    arrived: Float64Array | null,
  ): number
  read(socket: number, wanted: boolean): void
  port(socket: number): number
  /** The two words of each seal are the number of a key (or -1) and the offset of the Message-Authenticator (or 0). */
  send(socket: number, count: number, seals: Int32Array, keys: Uint8Array): number
  digest(input: Uint8Array, jobs: Int32Array, count: number, keys: Uint8Array, results: Uint8Array): void
  close(socket: number): void
  /**
   * Sends one datagram to a socket of this machine: a path, or with `@` before it an abstract name. Throws with `code`;
   * waits for a second at most.
   */
  sendToUnix(address: string, text: string): void
}

export type LoadedAddon = { addon: BatchUdp } | { missing: string }

const isSource = (name: string) => name.endsWith('.c') || name.endsWith('.h')
const sourceNames = () =>
  readdirSync(import.meta.dirname)
    .filter(isSource)
    .sort()

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
/** The output of bin/compile-udp.js. */
const compiledFile = here(`../../../../build/batch-udp-${process.platform}-${process.arch}.node`)

/** Loads the addon, or says why it cannot be used. An addon that was compiled from another source is not used. */
export function loadAddon(): LoadedAddon {
  if (process.platform !== 'linux') return { missing: 'the addon is for Linux' }
  if (!existsSync(compiledFile))
    return { missing: 'the addon is not compiled (`npm run compile` needs gcc and libc6-dev)' }
  try {
    const holder = { exports: {} as BatchUdp }
    process.dlopen(holder, compiledFile)
    const hash = createHash('sha256')
    for (const name of sourceNames()) hash.update(readFileSync(here(name)))
    if (holder.exports.source === hash.digest('hex')) return { addon: holder.exports }
    return { missing: 'the addon is older than its source (`npm run compile`)' }
  } catch (error) {
    return { missing: `the addon cannot be loaded: ${error instanceof Error ? error.message : String(error)}` }
  }
}
