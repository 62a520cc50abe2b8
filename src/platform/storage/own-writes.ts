import type pg from 'pg'

/** What nobody else can see anything of: a SELECT of ours calls no function that writes. */
const quietForm =
  /^\s*(?:SELECT|BEGIN|START|SET|SHOW|RESET|ROLLBACK|SAVEPOINT|RELEASE|DECLARE|FETCH|CLOSE|LISTEN|EXPLAIN)\b/i
const endForm = /^\s*(?:COMMIT|END)\b/i

/**
 * Commits of this program that its notices (storage/changes.ts) have not told of yet. The server answers a COMMIT before its notices
 * have come over the lifeline; until they have, memory that is kept right by notices is behind the writer's own word.
 */
export class OwnWrites {
  readonly #hear: () => Promise<void>
  #untold = 0
  /** Of these, connections that are through with writing and wait for the next hearing. */
  #over = 0
  #isHearing = false

  /** `hear` resolves when every notice of commits that were over when it was called has been told. */
  constructor(hear: () => Promise<void>) {
    this.#hear = hear
  }

  /** Everything that this program committed has been told. */
  get areTold(): boolean {
    return this.#untold === 0
  }

  /** Every connection the pool makes from now on is watched. */
  watch(pool: Pick<pg.Pool, 'on'>): void {
    pool.on('connect', (client) => this.#watch(client))
  }

  #watch(client: pg.ClientBase): void {
    const connection = new Watched(
      () => this.#untold++,
      () => this.#settle(),
    )
    const ask = client.query as (...words: unknown[]) => unknown
    client.query = ((...words: unknown[]) => {
      connection.asked(textOf(words[0]))
      return ask.apply(client, words)
    }) as typeof client.query
    serverOf(client).on('readyForQuery', ({ status }) => connection.answered(status === 'I'))
    client.on('end', () => connection.ended())
  }

  #settle(): void {
    this.#over++
    if (!this.#isHearing) void this.#hearAll()
  }

  async #hearAll(): Promise<void> {
    this.#isHearing = true
    while (this.#over > 0) {
      const heard = this.#over
      this.#over = 0
      await this.#hear()
      this.#untold -= heard
    }
    this.#isHearing = false
  }
}

/** One connection: from a statement that may commit something until the server says that no transaction is open. */
class Watched {
  readonly #begin: () => void
  readonly #end: () => void
  #answersToCome = 0
  #isInTransaction = false
  #hasWritten = false
  #isOpen = false

  constructor(begin: () => void, end: () => void) {
    this.#begin = begin
    this.#end = end
  }

  asked(text: string): void {
    const mayFollowAnEnd = this.#answersToCome++ > 0
    if (quietForm.test(text)) return
    const isEnd = endForm.test(text)
    // Inside a transaction nobody sees what is written before its end.
    if (isEnd ? this.#hasWritten || !this.#isInTransaction : mayFollowAnEnd || !this.#isInTransaction) this.#open()
    if (!isEnd) this.#hasWritten = true
  }

  answered(isIdle: boolean): void {
    if (this.#answersToCome > 0) this.#answersToCome--
    this.#isInTransaction = !isIdle
    if (!isIdle || this.#answersToCome > 0) return
    this.#hasWritten = false
    this.#close()
  }

  /** What was under way may be committed all the same; nobody was told that it is. */
  ended(): void {
    this.#close()
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#begin()
  }

  #close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#end()
  }
}

/** Of a query in any of the forms pg takes; a stream has no text and counts as writing. */
function textOf(query: unknown): string {
  if (typeof query === 'string') return query
  const text = (query as { text?: unknown } | null)?.text
  return typeof text === 'string' ? text : ''
}

type Server = { on(event: 'readyForQuery', listener: (answer: { status: string }) => void): void }

/** The protocol of a client: pg tells of the state of its transaction nowhere else. */
const serverOf = (client: pg.ClientBase): Server => (client as unknown as { connection: Server }).connection
