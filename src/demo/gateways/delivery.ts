import { setTimeout as pause } from 'node:timers/promises'
import type { Behaviour } from './behaviour.ts'

export type Notice = {
  readonly contentType: string
  readonly body: string | Buffer
}

export type Delivered = { readonly status: number; readonly text: string }

/** Sends one notice to the shop. Status 0: the shop was not reached. */
async function send(webhook: string, { contentType, body }: Notice): Promise<Delivered> {
  try {
    const response = await fetch(webhook, {
      method: 'POST',
      headers: { 'Content-Type': contentType },
      body,
      signal: AbortSignal.timeout(10_000),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

/**
 * Sends as many copies of a notice as the behaviour says, and repeats those that were not accepted. Returns the last
 * answer of the shop to each copy.
 */
export async function deliver(
  webhook: string,
  notice: Notice,
  forged: readonly Notice[],
  behaviour: Behaviour,
  isTaken: (answer: Delivered) => boolean,
): Promise<{ answers: Delivered[]; toForged: Delivered[] }> {
  const persistently = async () => {
    let answer = await send(webhook, notice)
    for (let tries = 0; tries < behaviour.retries && !isTaken(answer); tries++) {
      await pause(behaviour.retryMs)
      answer = await send(webhook, notice)
    }
    return answer
  }
  const copies = Array.from({ length: behaviour.repeats }, persistently)
  const fakes = forged.map((fake) => send(webhook, fake))
  return { answers: await Promise.all(copies), toForged: await Promise.all(fakes) }
}
