import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { compiled } from './compiled.ts'

/** Many WebSockets in a program of C, so that what is measured is the server and not who listens. */
export class LiveSockets {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #folder: string
  /** Until every socket was open and had its first frame. */
  readonly openedSeconds: number

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, folder: string, openedSeconds: number) {
    this.#child = child
    this.#lines = lines
    this.#folder = folder
    this.openedSeconds = openedSeconds
  }

  /** `headers` proves who each socket is; frames of `type` are waited for later; `message` is what each sends first. */
  static async open(
    address: string,
    path: string,
    headers: readonly string[],
    type: string,
    message?: string,
  ): Promise<LiveSockets> {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-live-'))
    const file = join(folder, 'headers')
    writeFileSync(file, headers.join('\n'))
    const words = [new URL(address).port, path, file, type, ...(message === undefined ? [] : [message])]
    const child = spawn(compiled('live-load', 'live-load', ['live-load']), words, {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    const [, seconds] = await lineOf(lines, 'open')
    return new LiveSockets(child, lines, folder, Number(seconds))
  }

  /**
   * What `deed` brings to some of them: when the first and the last of them had a frame of the type, in epoch
   * milliseconds.
   */
  async seen(from: number, count: number, deed: () => Promise<unknown>): Promise<{ firstMs: number; lastMs: number }> {
    this.#child.stdin!.write(`wait ${from} ${count}\n`)
    await lineOf(this.#lines, 'armed')
    const [[, first, last]] = await Promise.all([lineOf(this.#lines, 'seen'), deed()])
    return { firstMs: Number(first) / 1000, lastMs: Number(last) / 1000 }
  }

  close(): void {
    this.#child.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function lineOf(lines: AsyncIterator<string>, name: string): Promise<string[]> {
  const { value, done } = await lines.next()
  const words = String(value).split(' ')
  if (done || words[0] !== name) throw new Error(`The sockets of the load ended: ${value}`)
  return words
}
