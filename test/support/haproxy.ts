import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { ruble } from './provider.ts'
import { fetch } from './published.ts'

// Used by npm run bench too, so nothing here imports tap.

/** Where the customers of a balancer come from, so that each of two nodes has some of them. */
export const deskSources = ['127.0.0.41', '127.0.0.42', '127.0.0.43', '127.0.0.44']

/** deploy/haproxy.cfg with ports of this machine for its addresses. Throws when the file has other ones. */
export function haproxyConfig(ports: {
  readonly front: number
  readonly nodes: readonly [number, number]
  /** What it would listen on for PostgreSQL. */
  readonly postgres: number
}): string {
  const own: readonly (readonly [string, string])[] = [
    ['maxconn 40000', 'maxconn 400'],
    ['bind :80', `bind 127.0.0.1:${ports.front}`],
    ['10.20.0.11:8080', `127.0.0.1:${ports.nodes[0]}`],
    ['10.20.0.12:8080', `127.0.0.1:${ports.nodes[1]}`],
    ['127.0.0.1:5000', `127.0.0.1:${ports.postgres}`],
    ['10.20.0.21', '127.0.0.1'],
    ['10.20.0.22', '127.0.0.1'],
  ]
  return own.reduce(
    (text, [theirs, ours]) => {
      if (!text.includes(theirs)) throw new Error(`deploy/haproxy.cfg has no ${theirs}.`)
      return text.replaceAll(theirs, ours)
    },
    readFileSync('deploy/haproxy.cfg', 'utf8'),
  )
}

export const isReady = (address: string): Promise<boolean> =>
  fetch(`${address}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** `from`: the address that it comes from; `session`: of the staff user who works there. */
type DeskParts = { readonly front: string; readonly from: string; readonly session: string; readonly account: number }

/** Pays one after the other, each under a key of its own, which is sent again until it is answered. */
export class Desk {
  readonly parts: DeskParts
  readonly answered: { readonly key: string; readonly operation: number; readonly atMs: number }[] = []
  /** What was no answer. */
  readonly failures: (number | string)[] = []
  isOver = false
  #asked = 0
  readonly #agent: Agent

  constructor(parts: DeskParts) {
    this.parts = parts
    this.#agent = new Agent({ keepAlive: true, localAddress: parts.from, maxSockets: 1 })
  }

  async pay(): Promise<void> {
    const { front, from, session, account } = this.parts
    while (!this.isOver) {
      const key = `${from}-${this.#asked++}`
      const body = { account, op_type: 7, op_summa: ruble, descr: key, txn: key }
      for (;;) {
        const answer = await post(`${front}/rest_api/v2/FinanceOperations/`, this.#agent, session, body)
        if (answer.status === 201 || answer.status === 200) {
          this.answered.push({ key, operation: answer.operation, atMs: performance.now() })
          break
        }
        this.failures.push(answer.status)
        await pause(50)
      }
    }
    this.#agent.destroy()
  }

  longestGapMs(sinceMs: number): number {
    const times = [sinceMs, ...this.answered.map(({ atMs }) => atMs).filter((atMs) => atMs > sinceMs)]
    return Math.max(...times.slice(1).map((atMs, index) => atMs - times[index]!))
  }
}

type Posted = { readonly status: number | string; readonly operation: number }

function post(url: string, agent: Agent, session: string, body: object): Promise<Posted> {
  return new Promise((resolve) => {
    const headers = { 'X-Session-Hash': session, 'Content-Type': 'application/json' }
    const asking = request(url, { method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => {
        const isTaken = answer.statusCode === 201 || answer.statusCode === 200
        resolve({ status: answer.statusCode!, operation: isTaken ? JSON.parse(text).op_id : 0 })
      })
      answer.on('error', (error) => resolve({ status: error.message, operation: 0 }))
    })
    asking.on('error', (error) => resolve({ status: error.message, operation: 0 }))
    asking.end(JSON.stringify(body))
  })
}
