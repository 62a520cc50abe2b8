import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'

/** What a reader in another thread needs. It is sent with `port` in the transfer list. */
export type SharedHandle<T> = { control: Int32Array; generation: number; value: T; port: MessagePort }

/**
 * The description of a piece of shared memory (which buffers it consists of), published to readers in other threads. A
 * new description is posted before the generation counter changes, so a reader that sees the new number can receive the
 * description at once, without returning to its event loop.
 */
export class SharedValue<T> {
  readonly #control = new Int32Array(new SharedArrayBuffer(4))
  readonly #ports = new Set<MessagePort>()
  #value: T
  #published: T
  #generation = 0
  #timer: NodeJS.Timeout | undefined

  constructor(value: T) {
    this.#value = value
    this.#published = value
  }

  get value(): T {
    return this.#value
  }

  /** What the readers have: the value that was published last. */
  get published(): T {
    return this.#published
  }

  /** Publishes the value within this time, together with what else is published until then. */
  publishSoon(value: T, withinMs: number): void {
    this.#value = value
    this.#timer ??= setTimeout(() => this.publish(this.#value), withinMs).unref()
  }

  publish(value: T): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#value = value
    this.#published = value
    this.#generation++
    for (const port of this.#ports) port.postMessage({ generation: this.#generation, value })
    Atomics.store(this.#control, 0, this.#generation)
  }

  /** A handle for one reader. When the reader's thread ends, its port closes and is removed. */
  handle(): SharedHandle<T> {
    const { port1, port2 } = new MessageChannel()
    this.#ports.add(port1)
    port1.on('close', () => this.#ports.delete(port1))
    port1.unref()
    return { control: this.#control, generation: this.#generation, value: this.#value, port: port2 }
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const port of this.#ports) port.close()
    this.#ports.clear()
  }
}

/** The reading end: `refresh` is one atomic load while nothing has changed. */
export class SharedView<T> {
  readonly #control: Int32Array
  readonly #port: MessagePort
  #generation: number
  value: T

  constructor(handle: SharedHandle<T>) {
    this.#control = handle.control
    this.#port = handle.port
    this.#generation = handle.generation
    this.value = handle.value
  }

  /** Receives the newest description; true when there was a newer one. */
  refresh(): boolean {
    if (Atomics.load(this.#control, 0) === this.#generation) return false
    let isNewer = false
    for (;;) {
      const received = receiveMessageOnPort(this.#port) as { message: { generation: number; value: T } } | undefined
      // A writer that has closed its end posts nothing more; the last description stays.
      if (!received) return isNewer
      isNewer = true
      this.#generation = received.message.generation
      this.value = received.message.value
    }
  }

  close(): void {
    this.#port.close()
  }
}

const ownFence = new Int32Array(1)

/**
 * A full memory barrier: keeps plain reads and writes of shared memory from crossing it (an atomic read-modify-write,
 * about 6 ns).
 */
export const fence = (): void => {
  Atomics.add(ownFence, 0, 1)
}
