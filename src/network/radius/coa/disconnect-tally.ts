import type { CoaOutcome } from './coa-outcome.ts'

/** How many NAS gave which answer to one effect. */
export type DisconnectTally = { ack: number; nak: number; noAnswer: number }

export const emptyTally: Readonly<DisconnectTally> = { ack: 0, nak: 0, noAnswer: 0 }

export function count(tally: DisconnectTally, { result }: CoaOutcome): void {
  tally[result === 'no_answer' ? 'noAnswer' : result]++
}

/** The sum of two tallies; null where one of them ended before every NAS had answered. */
export const sum = (a: DisconnectTally | null, b: DisconnectTally | null): DisconnectTally | null =>
  a && b && { ack: a.ack + b.ack, nak: a.nak + b.nak, noAnswer: a.noAnswer + b.noAnswer }
