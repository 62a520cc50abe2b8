import Type from 'typebox'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Call, Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import { okObject } from '../../platform/http/schemas.ts'
import { visibleTo } from '../../platform/staff/visible-records.ts'
import { answers } from './doors.ts'

/** How far the counting is; it tells, and stops where nobody waits for it any more. */
export type Progress = {
  /** Subscribers that were looked at; 0 where it does not tell. */
  counted: number
  readonly signal: AbortSignal
}

type Counting = {
  readonly progress: Progress
  readonly reply: Promise<Reply>
  /** Somebody has asked for it and waits for so long: it goes on for a while after that. */
  readonly hear: (waitMs: number) => void
  /** Who asks from now on begins another one. */
  readonly end: () => void
}

/**
 * Within this most answers are ready. An answer is to begin within 100 ms: the rest is for a collection of garbage,
 * which holds the program for up to 40 ms among a million subscribers, and for a timer that is late where both cores
 * count.
 */
const usualWaitMs = 40
/** Who asks so is not let wait for longer. */
const waitMostMs = 10_000
/** Who still wants to know asks several times within this. */
const patienceMs = 3_000

/** Besides who asks for what: of which session, as some answers tell them apart, and in which language. */
const tellingHeaders = ['authorization', 'x-session-hash', 'cookie', 'accept-language']

/**
 * Answers that take long: previews of bulk actions, searches and sums that no index serves. Of a million they take up
 * to seconds, which no screen should wait for in one request: who prefers it (RFC 7240, `respond-async`) is answered at
 * once that the counting goes on, and asks the same again until it is ready. What nobody asks for any more is given up.
 * Whoever does not prefer it waits. A parameter of the preference, as in `respond-async; id=7`, tells one question from
 * an earlier one with the same words, whose answer may be of before a write. `wait=10` beside it lets one request wait
 * for so many seconds, which may change from one to the next.
 */
export class Countings {
  readonly #clock: Clock
  readonly #running = new Map<string, Counting>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async answer(call: Call, count: (progress: Progress) => Promise<Reply>): Promise<Reply> {
    const prefer = call.header('prefer')
    if (!/\brespond-async\b/i.test(prefer)) return count({ counted: 0, signal: new AbortController().signal })
    const wait = /,\s*wait=(\d{1,3})\b/i.exec(prefer)
    const waitMs = wait ? Math.min(Number(wait[1]) * 1000, waitMostMs) : usualWaitMs
    const key = JSON.stringify([
      call.staff?.id,
      visibleTo(call),
      call.path,
      call.queryText,
      call.body.toString(),
      prefer.replace(wait?.[0] ?? '', ''),
      ...tellingHeaders.map((name) => call.header(name)),
    ])
    let cancel = () => {}
    // Whoever asks waits since the request came: to find out who it is takes time too, and what the count does at once.
    const soFarMs = performance.now() - call.startedMs
    const waited = new Promise<null>((resolve) => {
      cancel = this.#clock.after(Math.max(0, waitMs - soFarMs), () => resolve(null))
    })
    try {
      const counting = this.#running.get(key) ?? this.#begin(key, count)
      counting.hear(waitMs)
      const reply = await Promise.race([counting.reply, waited])
      if (reply === null) return json({ ok: true, counted: counting.progress.counted }, 202)
      counting.end()
      return reply
    } finally {
      cancel()
    }
  }

  #begin(key: string, count: (progress: Progress) => Promise<Reply>): Counting {
    const controller = new AbortController()
    const progress: Progress = { counted: 0, signal: controller.signal }
    const reply = count(progress)
    let cancel = () => {}
    const end = () => {
      cancel()
      if (this.#running.get(key) === counting) this.#running.delete(key)
    }
    const giveUp = () => {
      end()
      controller.abort()
    }
    const hear = (waitMs: number) => {
      cancel()
      cancel = this.#clock.after(waitMs + patienceMs, giveUp)
    }
    const counting = { progress, reply, hear, end }
    this.#running.set(key, counting)
    // Who waits hears of the failure; the next one begins anew.
    reply.catch(end)
    return counting
  }
}

/** How such an endpoint may be asked. */
export const preferHeader = {
  Prefer: {
    doc: '`respond-async`: what is not ready at once is answered with 202; ask the same again with the same header, which may have a parameter: `respond-async; id=7`; `, wait=10` behind it lets this request wait for so many seconds',
  },
}

/** The answer that it is not ready. */
export const notReady: ReturnType<typeof answers> = {
  202: {
    doc: 'With `Prefer: respond-async`: the counting goes on; ask the same again',
    schema: okObject({
      counted: Type.Integer({ description: 'Subscribers that were looked at so far; 0 where it is not told' }),
    }),
  },
}

/** The answers of an endpoint that counts by itself: as of any, or that it is not ready. */
export const countedAnswers = (...of: Parameters<typeof answers>): ReturnType<typeof answers> => ({
  ...answers(...of),
  ...notReady,
})

/**
 * The same routes; those that read and answer with JSON alone may be asked so, each of them: the cheapest has to wait
 * for a connection while others count. One that answers with files too does it by itself, because a file is made while
 * it is sent.
 */
export const countedRoutes = (countings: Countings, routes: readonly Route[]): Route[] =>
  routes.map((route) => {
    const { doc, handler } = route
    if (!doc || !readsJson(route)) return route
    return {
      ...route,
      doc: { ...doc, headers: { ...doc.headers, ...preferHeader }, answers: { ...doc.answers, ...notReady } },
      handler: (call) => countings.answer(call, async () => handler(call)),
    }
  })

const readsJson = ({ method, door, doc }: Route): boolean => {
  const found = doc?.answers?.[200]
  return method === 'GET' && door === 'admin' && found?.schema !== undefined && !found.contentType && !found.otherTypes
}
