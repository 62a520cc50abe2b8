import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { markup } from '../../platform/formats/html.ts'

export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export type Answered = {
  readonly status: number
  readonly type?: string
  readonly body?: string
  readonly location?: string
}

/** A small HTTP server on the loopback. With null there is no answer, and the caller waits until its own time limit. */
export class Site {
  readonly #server: Server
  address = ''

  constructor(answer: (asked: Asked) => Promise<Answered | null> | Answered | null) {
    this.#server = createServer((request, response) => {
      const answered = readBody(request).then((body) => answer(askedOf(request, body)))
      answered.then(
        (reply) => {
          if (reply === null) return
          response.writeHead(reply.status, {
            'Content-Type': reply.type ?? 'text/html; charset=utf-8',
            ...(reply.location !== undefined && { Location: reply.location }),
          })
          response.end(reply.body ?? '')
        },
        () => response.writeHead(500).end(),
      )
    })
  }

  async start(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.address = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function askedOf(request: IncomingMessage, body: Buffer): Asked {
  const url = new URL(request.url ?? '/', 'http://gateway')
  return { method: request.method ?? '', path: url.pathname, query: url.searchParams, headers: request.headers, body }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export const json = (value: unknown, status = 200): Answered => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})

/** An error of REST v3. */
export const fault = (status: number, code: string, description?: string): Answered =>
  json({ type: 'error', id: randomUUID(), code, ...(description !== undefined && { description }) }, status)

export const redirect = (location: string): Answered => ({ status: 302, location })

/** The page where a client would enter a card. Here it has a button instead. */
export const payPage = (gateway: string, sum: string, purpose: string, action: string): Answered => ({
  status: 200,
  body: markup`<!doctype html><html lang="ru"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${gateway}</title><style>body{font:18px system-ui;max-width:22rem;margin:12vh auto;padding:0 1rem}
button{font:inherit;width:100%;padding:.7rem;margin:.3rem 0}b{font-size:2rem}</style></head><body>
<p>${gateway}: учебный платёж, деньги не списываются</p><p>${purpose}</p><p><b>${sum} ₽</b></p>
<form method="post" action="${action}"><button name="act" value="pay">Оплатить</button>
<button name="act" value="cancel">Отказаться</button></form></body></html>`.text,
})
