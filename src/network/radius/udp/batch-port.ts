import type { BatchUdp } from './addon.ts'
import {
  type Digester,
  datagramWord,
  datagramWords,
  receiveBufferBytes,
  type UdpOptions,
  type UdpPort,
} from './udp-port.ts'

/** For each answer: the key that signs it (-1 when it is complete) and the offset of its Message-Authenticator. */
const sealWords = 2
const noKey = -1

/** A port on the addon: one recvmmsg and one sendmmsg per batch (batch-udp.c). */
export class BatchPort implements UdpPort {
  readonly bytes: Buffer
  readonly received: Int32Array
  readonly arrivedMs: Float64Array
  readonly number: number
  readonly digester: BatchDigester
  readonly #addon: BatchUdp
  readonly #socket: number
  readonly #queue: Int32Array
  readonly #seals: Int32Array
  readonly #queueMax: number
  readonly #order: UdpOptions
  #queued = 0
  #isClosed = false

  constructor(addon: BatchUdp, order: UdpOptions) {
    this.#addon = addon
    this.#order = order
    this.bytes = Buffer.from(new ArrayBuffer(addon.inputBytes))
    this.received = new Int32Array(addon.slots * datagramWords)
    this.digester = new BatchDigester(addon, this.bytes)
    this.#queueMax = addon.queue
    this.#queue = new Int32Array(addon.queue * datagramWords)
    this.#seals = new Int32Array(addon.queue * sealWords)
    const { host, port, sharesPort, output, listener, stamps = false } = order
    this.arrivedMs = new Float64Array(stamps ? addon.slots : 0)
    const take = (count: number, notSent: number) => {
      if (notSent > 0) listener.notSent(notSent)
      if (count > 0) listener.datagrams(this, count)
    }
    const { bytes, received } = this
    this.#socket = addon.open(
      host,
      port,
      sharesPort,
      receiveBufferBytes,
      bytes,
      received,
      output,
      this.#queue,
      take,
      stamps ? this.arrivedMs : null,
    )
    this.number = addon.port(this.#socket)
    addon.read(this.#socket, true)
  }

  queue(at: number, length: number, source: Int32Array, sourceAt: number, key = noKey, signatureAt = 0): void {
    if (this.#queued === this.#queueMax) this.flush()
    const queue = this.#queue
    const index = this.#queued++
    const to = index * datagramWords
    queue[to + datagramWord.offset] = at
    queue[to + datagramWord.length] = length
    for (let word: number = datagramWord.port; word < datagramWords; word++) queue[to + word] = source[sourceAt + word]!
    this.#seals[index * sealWords] = key
    this.#seals[index * sealWords + 1] = signatureAt
  }

  flush(): void {
    const count = this.#queued
    if (count === 0) return
    this.#queued = 0
    if (this.#isClosed) return
    const lost = this.#addon.send(this.#socket, count, this.#seals, this.digester.keys)
    if (lost > 0) this.#order.listener.notSent(lost)
  }

  stopReceiving(): void {
    if (!this.#isClosed) this.#addon.read(this.#socket, false)
  }

  close(): void {
    if (this.#isClosed) return
    this.flush()
    this.#isClosed = true
    this.#addon.close(this.#socket)
  }
}

const jobWords = 8
const resultBytes = 32

class BatchDigester implements Digester {
  keys: Uint8Array = new Uint8Array(0)
  readonly results: Uint8Array
  readonly #addon: BatchUdp
  readonly #input: Uint8Array
  readonly #jobs: Int32Array
  #count = 0

  constructor(addon: BatchUdp, input: Uint8Array) {
    this.#addon = addon
    this.#input = input
    this.#jobs = new Int32Array(addon.slots * jobWords)
    this.results = new Uint8Array(addon.slots * resultBytes)
  }

  add(offset: number, length: number, key: number, signatureAt: number, kind: number): number {
    const jobs = this.#jobs
    const at = this.#count * jobWords
    jobs[at] = offset
    jobs[at + 1] = length
    jobs[at + 2] = key
    jobs[at + 3] = signatureAt
    jobs[at + 4] = kind
    return this.#count++ * resultBytes
  }

  run(): void {
    const count = this.#count
    this.#count = 0
    if (count > 0) this.#addon.digest(this.#input, this.#jobs, count, this.keys, this.results)
  }
}
