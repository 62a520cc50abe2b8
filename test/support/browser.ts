import { fetch } from './published.ts'

/** What a browser got. */
export type Shown = {
  readonly status: number
  readonly text: string
  readonly location: string | null
  readonly headers: Headers
}

type Sent = { readonly headers?: Readonly<Record<string, string>>; readonly withToken?: boolean }

/** A browser without scripts: keeps cookies, says where it comes from, and fills the token of the form in. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #base: string
  readonly #language: string

  constructor(base: string, language = 'ru') {
    this.#base = base
    this.#language = language
  }

  get = (path: string, sent: Sent = {}): Promise<Shown> => this.#ask('GET', path, null, sent)

  post = (path: string, fields: Readonly<Record<string, string>>, sent: Sent = {}): Promise<Shown> =>
    this.#ask('POST', path, fields, sent)

  delete = (path: string, fields: Readonly<Record<string, string>>): Promise<Shown> =>
    this.#ask('DELETE', path, fields, {})

  async signIn(contract: string, password: string, next = ''): Promise<Shown> {
    await this.get('/lk/login/')
    return this.post('/lk/login/', { contract, password, next })
  }

  async #ask(
    method: string,
    path: string,
    fields: Readonly<Record<string, string>> | null,
    sent: Sent,
  ): Promise<Shown> {
    const token = this.cookies.get('csrftoken') ?? ''
    const body =
      fields && new URLSearchParams({ ...fields, ...(sent.withToken !== false && { csrfmiddlewaretoken: token }) })
    const response = await fetch(this.#base + path, {
      method,
      redirect: 'manual',
      headers: {
        Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'Accept-Language': this.#language,
        ...(fields && { Referer: `${this.#base}${path}` }),
        ...sent.headers,
      },
      ...(body && { body }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
      if (value === '') this.cookies.delete(name!)
      else this.cookies.set(name!, value!)
    }
    const text = await response.text()
    return { status: response.status, text, location: response.headers.get('location'), headers: response.headers }
  }
}
