import { createHash } from 'node:crypto'
import { type Entry, tarEnd, tarEntry } from './tar.ts'
import { format, headName, type Manifest, manifestName, sealName } from './manifest.ts'

/** Takes the bytes of an archive in their order, and resolves when it can take more. */
export type Sink = (bytes: Buffer) => Promise<void>

type Contents = Omit<Manifest, 'format' | 'tollgate' | 'madeAt' | 'entries' | 'hasKeys'>

/** Writes an archive from its first byte to its last, so that it may go through a pipe. */
export class ArchiveWriter {
  readonly #write: Sink
  readonly #made: { readonly tollgate: string; readonly madeAt: Date }
  readonly #entries: Manifest['entries'] = []
  /** Written so far. */
  bytes = 0

  private constructor(write: Sink, made: { tollgate: string; madeAt: Date }) {
    this.#write = write
    this.#made = made
  }

  static async begin(write: Sink, made: { tollgate: string; madeAt: Date }): Promise<ArchiveWriter> {
    const writer = new ArchiveWriter(write, made)
    await writer.add({ name: headName, content: json(writer.#head) })
    return writer
  }

  get #head() {
    return { format, tollgate: this.#made.tollgate, madeAt: this.#made.madeAt.toISOString() } as const
  }

  async add(entry: Entry): Promise<void> {
    const { name, content } = entry
    this.#entries.push({ name, bytes: content.length, sha256: sha256(content) })
    await this.#put(tarEntry(entry, this.#made.madeAt))
  }

  /** Without this an archive counts as cut off. `seal` gets the manifest, which the sealed keys then vouch for. */
  async finish(contents: Contents, seal: ((manifest: Buffer) => Promise<object>) | null): Promise<void> {
    const manifest: Manifest = { ...this.#head, ...contents, hasKeys: seal !== null, entries: this.#entries }
    const content = json(manifest)
    await this.#put(tarEntry({ name: manifestName, content }, this.#made.madeAt))
    if (seal) await this.#put(tarEntry({ name: sealName, content: json(await seal(content)) }, this.#made.madeAt))
    await this.#put(tarEnd)
  }

  async #put(bytes: Buffer): Promise<void> {
    this.bytes += bytes.length
    await this.#write(bytes)
  }
}

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 1)}\n`)
