import { request } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import type { Stage } from '../stage.ts'

/** The addresses of one run; each has its own, so that two may run beside each other. */
export const networkOfRun = `127.${64 + (process.pid % 64)}`

/** Somebody on an address that nobody has ever signed in from. */
export class Stranger {
  readonly ip: string
  readonly #stage: Stage

  constructor(ip: string, stage: Stage) {
    this.ip = ip
    this.#stage = stage
  }

  /** One request. Null: no answer. A 500 that is no SOAP fault is a violation. */
  async ask(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = '') {
    const { book, doors, base } = this.#stage
    const beganMs = this.#stage.nowMs
    const answer = await answerTo(`${base}${path}`, this.ip, method, headers, body)
    if (answer?.status === 500 && !answer.text.includes('faultcode'))
      book.violate('an answer of 500', { path, text: answer.text.slice(0, 500) })
    doors.attack.took(answer ? 'refused' : 'unserved', beganMs, this.#stage.nowMs)
    return answer
  }

  connect(): Socket {
    const socket = createConnection({
      host: '127.0.0.1',
      port: Number(new URL(this.#stage.base).port),
      localAddress: this.ip,
    })
    // The program may end it, or be gone.
    socket.on('error', () => {})
    return socket
  }
}

function answerTo(
  url: string,
  localAddress: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ status: number; text: string } | null> {
  return new Promise((resolve) => {
    let isAnswered = false
    const length = { 'Content-Length': String(Buffer.byteLength(body)) }
    const asking = request(
      url,
      { localAddress, method, headers: { ...headers, ...length }, agent: false },
      (answer) => {
        isAnswered = true
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode!, text }))
        answer.on('error', () => resolve(null))
        // After its end, if it has come to that.
        answer.on('close', () => resolve(null))
      },
    )
    asking.setTimeout(10_000, () => asking.destroy())
    asking.on('error', () => resolve(null))
    // Of an answer that is still to be read the connection may be closed already.
    asking.on('close', () => isAnswered || resolve(null))
    asking.end(body)
  })
}
