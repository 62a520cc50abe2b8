import { recordBytesMax } from './record-layout.ts'

/**
 * Blocks begin on a cache line. A reference counts cache lines, so 31 bits address 128 GiB. Reference 0 never names a
 * block.
 */
const lineBytes = 64
const lineBits = 6
const chunkBytes = 8 * 1024 * 1024
const chunkLineBits = Math.log2(chunkBytes) - lineBits
const chunkLineMask = (1 << chunkLineBits) - 1

export type Chunk = { words: Int32Array; floats: Float64Array; bytes: Uint8Array }

export const chunkOf = (buffer: SharedArrayBuffer): Chunk => ({
  words: new Int32Array(buffer),
  floats: new Float64Array(buffer),
  bytes: new Uint8Array(buffer),
})

export const chunkIndex = (ref: number): number => ref >>> chunkLineBits
/** The block's first 32-bit word in its chunk. */
export const firstWord = (ref: number): number => (ref & chunkLineMask) << (lineBits - 2)

const sizeClasses = [192, 256, 320, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, recordBytesMax]

/** Whether a block is at most twice as large as it must be; a smaller record stays in it. */
export const suits = (blockClass: number, neededClass: number): boolean =>
  blockClass >= neededClass && sizeClasses[blockClass]! <= 2 * sizeClasses[neededClass]!

export const sizeClassOf = (bytes: number): number => {
  const found = sizeClasses.findIndex((size) => size >= bytes)
  if (found < 0) throw new RangeError(`A record of ${bytes} bytes does not fit the access table.`)
  return found
}

/**
 * Blocks of fixed sizes in shared memory, allocated by the only writer. A block never changes its size, so its first
 * word is still a sequence word when the block is reused, and a reader that holds an old reference notices the change.
 */
export class RecordHeap {
  readonly buffers: SharedArrayBuffer[] = []
  readonly chunks: Chunk[] = []
  readonly #free: number[][] = sizeClasses.map(() => [])
  readonly #onGrown: () => void
  #nextLine = 0
  #used = 0

  constructor(onGrown: () => void) {
    this.#onGrown = onGrown
  }

  /** Bytes of all blocks in use. */
  get usedBytes(): number {
    return this.#used
  }

  allocate(sizeClass: number): number {
    const size = sizeClasses[sizeClass]!
    this.#used += size
    const free = this.#free[sizeClass]!.pop()
    if (free !== undefined) return free
    const lines = size / lineBytes
    const left = (this.buffers.length << chunkLineBits) - this.#nextLine
    if (left < lines) this.#grow()
    const ref = this.#nextLine
    this.#nextLine += lines
    return ref
  }

  release(ref: number, sizeClass: number): void {
    this.#used -= sizeClasses[sizeClass]!
    this.#free[sizeClass]!.push(ref)
  }

  #grow(): void {
    const buffer = new SharedArrayBuffer(chunkBytes)
    this.#nextLine = this.buffers.length << chunkLineBits || 1
    this.buffers.push(buffer)
    this.chunks.push(chunkOf(buffer))
    this.#onGrown()
  }
}
