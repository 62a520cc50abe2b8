/** Takes octets from chunks one length after the other, and holds no more of them than one length needs. */
export class ByteStream {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** How many octets are left of what was read; at the end, those that did not suffice. */
  get rest(): number {
    return this.#held.length
  }

  /** The next octets, a view; null when the stream ends before. */
  async take(count: number): Promise<Buffer | null> {
    while (this.#held.length < count) {
      const next = await this.#chunks.next()
      if (next.done) return null
      this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value])
    }
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }
}
