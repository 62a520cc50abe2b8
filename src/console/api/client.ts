import type { Endpoints } from '../../../build/console-types/endpoints.d.ts'

/** Every documented endpoint by its method and address, such as `GET /admin/me/`. */
export type Endpoint = keyof Endpoints

type Empty = Readonly<Record<never, never>>
type OptionalWhenEmpty<Name extends string, T> = Empty extends T
  ? { readonly [N in Name]?: T }
  : { readonly [N in Name]: T }

/** What an endpoint takes. An endpoint that changes in the server breaks the types here (`npm run types`). */
export type Sent<D extends Endpoint> = OptionalWhenEmpty<'path', Endpoints[D]['path']> &
  OptionalWhenEmpty<'query', Endpoints[D]['query']> &
  (Endpoints[D]['body'] extends never ? { readonly body?: never } : { readonly body?: Endpoints[D]['body'] }) & {
    readonly signal?: AbortSignal
    /** In place of a body, where the endpoint takes a file. */
    readonly file?: Blob
    /** With a key a repeat of the same request does not move money a second time. */
    readonly key?: string
  }

export type Answer<D extends Endpoint> = Endpoints[D]['answer']

/** An item of a list that an endpoint answers with. */
export type Item<D extends Endpoint> = Answer<D> extends { readonly items: readonly (infer I)[] } ? I : never

/** What the server refused. `status` is 0 when there was no answer. */
export class Refused extends Error {
  readonly status: number
  /** Stable, for programs; the console says it in words where its catalogue has the code. */
  readonly code: string | null
  /** A text for each wrong field. */
  readonly fields: Readonly<Record<string, string>>
  /** What is wrong with a field, where the endpoint says it by a stable code. */
  readonly codes: Readonly<Record<string, string>>
  /** Names the request in the log of the server. */
  readonly requestId: string | null

  constructor(status: number, body: Partial<RefusalBody>, requestId: string | null) {
    super(body.error ?? body.detail ?? restErrors(body).non_field_errors ?? '')
    this.name = 'Refused'
    this.status = status
    this.code = body.code ?? null
    this.fields = body.errors ?? restErrors(body)
    this.codes = body.codes ?? {}
    this.requestId = requestId
  }
}

type RefusalBody = {
  readonly error: string
  readonly detail: string
  readonly code: string
  readonly errors: Readonly<Record<string, string>>
  readonly codes: Readonly<Record<string, string>>
}

/** REST answers with nothing but a list of texts for each field. */
const restErrors = (body: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, texts]) => (Array.isArray(texts) ? [[name, texts.join(' ')]] : [])),
  )

type Plain = {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly file?: Blob
  readonly key?: string
  readonly prefers?: string
}

/** Calls an endpoint by its name, and again while what it reads is still being counted. Rejects with Refused. */
export async function ask<D extends Endpoint>(
  endpoint: D,
  ...[sent]: Empty extends Sent<D> ? [sent?: Sent<D>] : [sent: Sent<D>]
): Promise<Answer<D>> {
  const isReading = endpoint.startsWith('GET ')
  if (!isReading) return (await answerOf(endpoint, { ...sent })).body as Answer<D>
  return askPatiently(endpoint, { ...sent })
}

/** Asks again until the answer is ready; `hear` is told what stands in those that say that it is not. */
async function askPatiently<D extends Endpoint>(
  endpoint: D,
  plain: Plain,
  hear?: (meanwhile: unknown) => void,
): Promise<Answer<D>> {
  const question = questionId()
  for (let pauseMs = soonMs; ; pauseMs = Math.min(pauseMs * 2, pauseMostMs)) {
    const { status, body } = await answerOf(endpoint, { ...plain, prefers: patiently(question) })
    if (status !== 202) return body as Answer<D>
    hear?.(body)
    if (!document.hidden) await pause(pauseMs)
  }
}

/** What is not ready at once is often ready soon, and the server waits a little before it says that it is not. */
const soonMs = 10
const pauseMostMs = 320
/** Names a question, so that the answer to an earlier one with the same words, of before a write, is not its own. */
const questionId = (): string => Math.random().toString(36).slice(2)
/**
 * The browser slows down the timers of a hidden tab, by minutes in the end, and the server gives up what nobody asks
 * for. So there the server is asked to wait, and no timer is needed.
 */
const patiently = (question: string): string => `respond-async; id=${question}${document.hidden ? ', wait=10' : ''}`
/** Ends early when the tab is hidden. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    document.addEventListener('visibilitychange', end)
  })

/** What a preview of many subscribers hears while it is counted. */
export type Counting = { readonly signal: AbortSignal; readonly hear: (counted: number) => void }

/**
 * As `ask`, of an endpoint that may take long: it is asked again until it is ready, and says meanwhile how far it is.
 */
export function askCounted<D extends Endpoint>(
  endpoint: D,
  body: Endpoints[D]['body'],
  { signal, hear }: Counting,
): Promise<Answer<D>> {
  return askPatiently(endpoint, { body, signal }, (answer) => hear((answer as { readonly counted: number }).counted))
}

async function answerOf(
  endpoint: Endpoint,
  plain: Plain,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const [method, pattern] = endpoint.split(' ') as [string, string]
  const response = await fetch(addressOf(pattern, plain), {
    method,
    ...(plain.signal && { signal: plain.signal }),
    headers: {
      Accept: 'application/json',
      ...(method !== 'GET' && {
        'Content-Type': plain.file ? 'text/csv' : 'application/json',
        'X-CSRFToken': csrfToken(),
      }),
      ...(plain.key !== undefined && { 'Idempotency-Key': plain.key }),
      ...(plain.prefers !== undefined && { Prefer: plain.prefers }),
    },
    ...(method !== 'GET' && { body: plain.file ?? JSON.stringify(plain.body ?? {}) }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Refused(0, { code: unanswered(method, plain) }, null)
  })
  if (response.status === 401) leaveForSignIn()
  const body: unknown = await response.json().catch(() => ({}))
  if (!response.ok)
    throw new Refused(response.status, body as Partial<RefusalBody>, response.headers.get('x-request-id'))
  return { status: response.status, body }
}

/** Without an answer nobody knows whether a write was done; with a key it is done once, however often it is sent. */
const unanswered = (method: string, { key }: Plain): string =>
  method === 'GET' ? 'no_answer' : key === undefined ? 'no_answer_to_write' : 'no_answer_to_key'

/** The address of an endpoint with its parameters. */
function addressOf(pattern: string, { path = {}, query = {} }: Pick<Plain, 'path' | 'query'>): string {
  const address = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name] ?? '')))
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  )
  return asked.length === 0 ? address : `${address}?${new URLSearchParams(asked)}`
}

const csrfToken = (): string => /(?:^|;\s*)csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? ''

const leaving = new Set<() => void>()

/** Hears when the session is over, just before the page is left. What is returned stops that. */
export function beforeSignIn(hear: () => void): () => void {
  leaving.add(hear)
  return () => void leaving.delete(hear)
}

/** The session is over: the sign-in leads back to this screen. */
export function leaveForSignIn(): void {
  for (const hear of leaving) hear()
  location.assign(`/admin/?next=${encodeURIComponent(location.pathname + location.search)}`)
}
