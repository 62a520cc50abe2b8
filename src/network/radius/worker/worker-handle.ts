import { Worker } from 'node:worker_threads'
import type { Log } from '../../../platform/log.ts'
import type {
  FromWorker,
  NasHeard,
  NasLearned,
  PasswordComparison,
  PasswordQuestion,
  Rejection,
  ToWorker,
  TracedPacket,
  WorkerStart,
} from './messages.ts'
import type { UdpMode } from '../udp/open-port.ts'
import { siblingModule } from '../../../platform/sibling-module.ts'

type WorkerHandleParts = {
  startWith: () => WorkerStart
  comparePassword: PasswordComparison
  log: Log
  onLearned: (learned: NasLearned, edition: number) => void
  onHeard: (heard: NasHeard, edition: number) => void
  /** `suppressed` more rejections were left out to limit their number. */
  onRejections: (rejections: readonly Rejection[], suppressed: number) => void
  /** What the worker has answered (worker/auth-entries.ts), and how many answers more found no room. */
  onAnswered: (entries: Uint8Array<ArrayBuffer>, left: number) => void
  onTraced: (packets: readonly TracedPacket[]) => void
  /** Called when the thread has ended for whatever reason. */
  onGone: () => void
}

const restartAfterMs = 500

/** One worker thread, which is replaced when it dies; the NAS repeats what it had in work. */
export class WorkerHandle {
  readonly #parts: WorkerHandleParts
  #worker: Worker | null = null
  #isReady = false
  #isStopping = false

  constructor(parts: WorkerHandleParts) {
    this.#parts = parts
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Resolves when the worker listens, with the mode in which it receives. */
  start(): Promise<UdpMode> {
    const workerData = this.#parts.startWith()
    const worker = new Worker(siblingModule(import.meta.url, 'worker'), {
      workerData,
      transferList: [workerData.table.port, workerData.pools.port, workerData.rules.port],
    })
    this.#worker = worker
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') {
          this.#isReady = true
          resolve(message.mode)
        } else if (message.kind === 'failed') reject(new Error(`RADIUS cannot listen: ${message.message}`))
        else this.#take(worker, message)
      })
      worker.on('error', (error) => this.#parts.log.error('A RADIUS worker failed.', { error }))
      worker.on('exit', () => {
        this.#parts.onGone()
        reject(new Error('A RADIUS worker ended before it listened.'))
        // A worker that could not listen may end after its successor has started.
        if (this.#worker !== worker) return
        const wasReady = this.#isReady
        this.#isReady = false
        this.#worker = null
        if (wasReady && !this.#isStopping) this.#replace()
      })
    })
  }

  post(message: ToWorker): void {
    this.#worker?.postMessage(message)
  }

  /** Lets the worker answer what is in work within the given time, then ends the thread. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true
    const worker = this.#worker
    if (!worker) return
    const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    this.post({ kind: 'stop', withinMs })
    const late = setTimeout(() => void worker.terminate(), withinMs + 1000)
    await gone
    clearTimeout(late)
  }

  #take(worker: Worker, message: Exclude<FromWorker, { kind: 'ready' | 'failed' }>): void {
    const { log } = this.#parts
    switch (message.kind) {
      case 'password':
        void this.#compare(worker, message)
        break
      case 'rejections':
        this.#parts.onRejections(message.rejections, message.suppressed)
        break
      case 'answered':
        this.#parts.onAnswered(message.entries, message.left)
        break
      case 'heard':
        this.#parts.onHeard(message.heard, message.edition)
        break
      case 'traced':
        this.#parts.onTraced(message.packets)
        break
      case 'learned':
        this.#parts.onLearned(message.learned, message.edition)
        break
      case 'offersUnwritten':
        log.warn('Offers of pool addresses cannot be written down; a program that is killed now may repeat some.', {
          reason: message.message,
        })
        break
      case 'fault':
        log.error('A RADIUS packet could not be handled.', { reason: message.message, stack: message.stack })
    }
  }

  async #compare(worker: Worker, { token, hash, password }: PasswordQuestion): Promise<void> {
    let isRight: boolean | null
    try {
      isRight = await this.#parts.comparePassword(hash, password)
    } catch (error) {
      this.#parts.log.debug('A password could not be compared with its hash.', { error })
      isRight = null
    }
    worker.postMessage({ kind: 'passwordCompared', token, isRight } satisfies ToWorker)
  }

  #replace(): void {
    this.#parts.log.warn('A RADIUS worker is gone and is replaced.')
    const { log } = this.#parts
    this.start().then(
      () => log.info('A RADIUS worker listens again.'),
      (error) => {
        if (this.#isStopping) return
        log.error('A RADIUS worker could not be replaced; trying again.', { error })
        setTimeout(() => {
          if (!this.#isStopping) this.#replace()
        }, restartAfterMs).unref()
      },
    )
  }
}
