import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Json } from './program.ts'
import { Published } from './published.ts'

export type PhoneAnswer = { status: number; body: Json; headers: Headers }

/**
 * A phone as the application is: knows the OpenAPI document, and takes no answer that the document does not promise.
 */
export class Phone {
  readonly base: string
  readonly #published: Published
  access = ''
  refreshToken = ''
  language = 'ru'

  private constructor(base: string, published: Published) {
    this.base = base
    this.#published = published
  }

  static async of(address: string): Promise<Phone> {
    const base = baseAt(address)
    return new Phone(base, new Published(await (await fetch(`${base}/openapi.json`)).json()))
  }

  /** Another telephone, which knows the same document; `address` is that of another program. */
  another(address?: string): Phone {
    return new Phone(address === undefined ? this.base : baseAt(address), this.#published)
  }

  get document(): Json {
    return this.#published.document
  }

  get = (path: string, headers: Record<string, string> = {}) => this.call('GET', path, undefined, headers)
  post = (path: string, body?: unknown, headers: Record<string, string> = {}) => this.call('POST', path, body, headers)
  delete = (path: string) => this.call('DELETE', path)

  /** Throws where the answer is not what the document says. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<PhoneAnswer> {
    const raw = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
    const response = await fetch(this.base + path, {
      method,
      headers: {
        'Accept-Language': this.language,
        ...(this.access !== '' && { Authorization: `Bearer ${this.access}` }),
        ...(raw !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(raw !== undefined && { body: raw }),
    })
    const text = await response.text()
    const answer = { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
    const contentType = response.headers.get('content-type') ?? ''
    this.#published.check(method, path.split('?', 1)[0]!, { status: response.status, contentType, text })
    return answer
  }

  async signIn(contract: string, password: string): Promise<PhoneAnswer> {
    this.access = ''
    return this.#take(await this.post('/auth/login', { contract, password }))
  }

  async refresh(token = this.refreshToken): Promise<PhoneAnswer> {
    return this.#take(await this.post('/auth/refresh', { refresh: token }))
  }

  live(by: 'protocol' | 'message' = 'protocol', token = this.access): LivePhone {
    return new LivePhone(this.base.replace('http', 'ws'), by, token, this.language)
  }

  #take(answer: PhoneAnswer): PhoneAnswer {
    if (answer.status === 200) {
      this.access = answer.body.access
      this.refreshToken = answer.body.refresh
    }
    return answer
  }
}

const baseAt = (address: string): string => `${address}/mobile-api/v1`

/** The live socket of a phone, with every frame it got. */
export class LivePhone {
  readonly frames: Json[] = []
  readonly socket: WebSocket
  closed: { code: number; reason: string } | null = null
  #watchers: (() => void)[] = []

  constructor(base: string, by: 'protocol' | 'message', token: string, language: string) {
    const headers = { 'Accept-Language': language }
    this.socket =
      by === 'protocol'
        ? new WebSocket(`${base}/live`, ['bearer', token], { headers })
        : new WebSocket(`${base}/live`, { headers })
    if (by === 'message') this.socket.on('open', () => this.send({ type: 'auth', token }))
    this.socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)))
      this.#look()
    })
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) }
      this.#look()
    })
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The first frame that fits, past or to come. */
  frame(is: (frame: Json) => boolean): Promise<Json> {
    return this.#when(() => this.frames.find(is) ?? null)
  }

  /** The status that fits, past or to come. */
  async status(is: (status: Json) => boolean = () => true): Promise<Json> {
    return (await this.frame((frame) => frame.type === 'status' && is(frame.status))).status
  }

  end(): Promise<{ code: number; reason: string }> {
    return this.#when(() => this.closed)
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    const gone = once(this.socket, 'close')
    this.socket.close()
    await gone
  }

  #when<T>(look: () => T | null): Promise<T> {
    return new Promise((resolve, reject) => {
      const again = () => {
        const found = look()
        if (found !== null) resolve(found)
        else if (this.closed) reject(new Error(`The socket closed with ${this.closed.code} ${this.closed.reason}.`))
        else return
        this.#watchers = this.#watchers.filter((other) => other !== again)
      }
      this.#watchers.push(again)
      again()
    })
  }

  #look(): void {
    for (const watcher of [...this.#watchers]) watcher()
  }
}
