import { once } from 'node:events'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { WebSocket } from 'ws'
import type { Json } from './program.ts'

export type PhoneAnswer = { status: number; body: Json; headers: Headers }

/** A phone as the application is: knows the OpenAPI document, and takes no answer that the document does not promise. */
export class Phone {
  readonly base: string
  readonly #document: Json
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()
  access = ''
  refreshToken = ''
  language = 'ru'
  /** Doors that have answered, with the status: `GET /account/status 200`. */
  readonly seen = new Set<string>()

  private constructor(base: string, document: Json) {
    this.base = base
    this.#document = document
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    this.#ajv.addFormat('date', /^\d{4}-\d{2}-\d{2}$/)
    this.#ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/)
    this.#ajv.addSchema({ $id: 'openapi', ...document })
  }

  static async of(address: string): Promise<Phone> {
    const base = `${address}/mobile-api/v1`
    return new Phone(base, await (await fetch(`${base}/openapi.json`)).json())
  }

  /** Another telephone, which knows the same document. */
  another(): Phone {
    return new Phone(this.base, this.#document)
  }

  get document(): Json {
    return this.#document
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
    this.#check(method, path.split('?', 1)[0]!, answer)
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

  #check(method: string, path: string, { status, body }: PhoneAnswer): void {
    const template = Object.keys(this.#document.paths).find((known) =>
      new RegExp(`^${known.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )
    const operation = template && this.#document.paths[template][method.toLowerCase()]
    if (!operation) throw new Error(`${method} ${path} is not in the document.`)
    const place = `${method} ${template} ${status}`
    const schema = operation.responses[status]?.content?.['application/json']?.schema
    if (!schema) throw new Error(`${place} is not in the document: ${JSON.stringify(body)}`)
    const validate = this.#compiled.get(place) ?? this.#ajv.compile(absolute(schema))
    this.#compiled.set(place, validate)
    if (!validate(body)) throw new Error(`${place}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(body)}`)
    this.seen.add(place)
  }
}

const absolute = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'))

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
