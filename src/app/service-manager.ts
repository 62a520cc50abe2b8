import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type LoadedAddon, loadAddon } from '../network/radius/udp/addon.ts'
import type { Log } from '../platform/log.ts'

/** How a service manager watches this process: systemd, or whoever speaks its protocol (sd_notify(3)). */
export type Supervision = {
  /** The socket to which messages go: a path, or with `@` before it an abstract name. */
  readonly socket: string
  /** After this silence the process is taken to be stuck, and ended; null: it is not watched. */
  readonly watchdogMs: number | null
}

/**
 * What the environment says of the service manager; null: there is none. The variables are removed, because no program
 * that this one starts may speak for it.
 */
export function takeSupervision(env: NodeJS.ProcessEnv): Supervision | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: pid } = env
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name]
  if (!socket) return null
  // bin/tollgate.js hands over to another Node, and the manager knows of the first one until it is told.
  const isWatched = pid === undefined || [process.pid, process.ppid].includes(Number(pid))
  const watchdogMs = Number(usec) / 1000
  return { socket, watchdogMs: isWatched && watchdogMs > 0 ? watchdogMs : null }
}

/** A start that takes long says so this often, and the manager waits three times as long for the next word. */
const beatMs = 10_000
const patienceUsec = 3 * beatMs * 1000

type Send = (lines: readonly string[]) => void
type Channel = { readonly send: Send; readonly watchdogMs: number | null }

/**
 * Tells the service manager how far the program is. Its beats come from the event loop of the main thread, where money
 * is moved, so that a thread that is stuck falls silent and the program is started anew. Nothing else is a reason for
 * that: with the database away RADIUS goes on answering from memory, which a restart would empty.
 */
export class ServiceManager {
  readonly #send: Send
  readonly #watchdogMs: number | null
  #timer: NodeJS.Timeout | undefined
  #status = ''

  /** `supervision` null: nobody is told, and everything here does nothing. */
  constructor(supervision: Supervision | null, log: Log, load = loadAddon) {
    const channel = supervision && channelTo(supervision, log, load())
    this.#send = channel?.send ?? (() => {})
    this.#watchdogMs = channel?.watchdogMs ?? null
  }

  /** The start may take as long as it does, as a migration of many rows may, while the event loop turns. */
  starting(): void {
    this.#tell('Starting.')
    this.#beat(beatMs, () => [`EXTEND_TIMEOUT_USEC=${patienceUsec}`])
  }

  /** `notReady` is asked at each beat: why the program cannot do all of its work, or null. */
  ready(what: string, notReady: () => string | null): void {
    const statusOf = () => notReady() ?? what
    const lines = this.#statusLines(statusOf())
    // Of several processes of the service this is the one to watch and to stop.
    this.#send(['READY=1', `MAINPID=${process.pid}`, ...(this.#watchdogMs ? ['WATCHDOG=1'] : []), ...lines])
    const everyMs = Math.min(beatMs, (this.#watchdogMs ?? Number.POSITIVE_INFINITY) / 2)
    this.#beat(everyMs, () => [...(this.#watchdogMs ? ['WATCHDOG=1'] : []), ...this.#statusLines(statusOf())])
  }

  stopping(why: string): void {
    clearInterval(this.#timer)
    this.#tell(why, 'STOPPING=1')
  }

  #tell(status: string, ...lines: readonly string[]): void {
    this.#send([...lines, ...this.#statusLines(status)])
  }

  #beat(everyMs: number, linesNow: () => readonly string[]): void {
    clearInterval(this.#timer)
    const beat = () => {
      const lines = linesNow()
      if (lines.length > 0) this.#send(lines)
    }
    this.#timer = setInterval(beat, everyMs).unref()
  }

  /** What `systemctl status` shows, where it has changed. */
  #statusLines(status: string): string[] {
    if (status === this.#status) return []
    this.#status = status
    return [`STATUS=${status.replaceAll('\n', ' ')}`]
  }
}

/**
 * Sends messages by the addon, which costs nothing, or else by systemd's own program, which costs too much for a
 * message every few seconds.
 */
function channelTo({ socket, watchdogMs }: Supervision, log: Log, loaded: LoadedAddon): Channel {
  const untold = (error: unknown) =>
    log.warn('The service manager could not be told how far the program is.', { error })
  if ('addon' in loaded) {
    const send: Send = (lines) => {
      try {
        loaded.addon.sendToUnix(socket, lines.join('\n'))
      } catch (error) {
        untold(error)
      }
    }
    return { send, watchdogMs }
  }
  if (watchdogMs !== null)
    log.warn('The service manager does not watch the main thread, for which the addon is needed.', {
      reason: loaded.missing,
    })
  const byProgram = promisify(execFile)
  let last: Promise<unknown> = Promise.resolve()
  const env = { PATH: process.env.PATH, NOTIFY_SOCKET: socket }
  const send: Send = (lines) => {
    last = last.then(() => byProgram('systemd-notify', lines, { env })).catch(untold)
  }
  // Otherwise the manager would wait for beats that never come.
  if (watchdogMs !== null) send(['WATCHDOG_USEC=0'])
  return { send, watchdogMs: null }
}
