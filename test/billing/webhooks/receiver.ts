import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into field by field
type Json = any

export type Received = {
  readonly path: string
  readonly id: string
  readonly timestamp: number
  readonly signatures: readonly string[]
  /** To the byte. */
  readonly text: string
  readonly body: Json
}

/** What an endpoint answers; a function writes the answer itself, or never. */
export type Answering = number | ((response: ServerResponse) => void)

/** A program of the provider, which is told events. */
export class Receiver {
  readonly url: string
  readonly received: Received[] = []
  /** By path; 200 where there is none. */
  readonly answers = new Map<string, Answering>()

  private constructor(url: string) {
    this.url = url
  }

  static async start(t: { teardown(deed: () => unknown): unknown }): Promise<Receiver> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString('utf8')
      const path = request.url!
      receiver.received.push({
        ...{ path, text, body: JSON.parse(text) },
        id: String(request.headers['webhook-id']),
        timestamp: Number(request.headers['webhook-timestamp']),
        signatures: String(request.headers['webhook-signature']).split(' '),
      })
      const answer = receiver.answers.get(path) ?? 200
      if (typeof answer === 'function') answer(response)
      else response.writeHead(answer).end(`answer ${answer}`)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const receiver = new Receiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return receiver
  }

  at(path: string): readonly Received[] {
    return this.received.filter((one) => one.path === path)
  }

  /** The types of what was received at a path, in order. */
  types(path: string): string[] {
    return this.at(path).map(({ body }) => body.type)
  }
}

/** As a receiver does it: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export function isSigned(secret: string, { id, timestamp, text, signatures }: Received): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')
  return signatures.includes(`v1,${expected}`)
}
