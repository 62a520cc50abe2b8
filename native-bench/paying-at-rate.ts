import { linePassword } from '../test/support/provider.ts'
import { atRate, httpRequest } from './at-rate.ts'
import type { Payer } from './payers.ts'

/** Milliseconds from the moment a notice was due; a payer without an answer or an Access-Accept counts as lost. */
export type Waited = { readonly answered: number[]; readonly accepted: number[]; readonly lost: number }

export type Till = { readonly webhook: string; readonly authPort: number; readonly nas: { ip: string; secret: string } }

/** So many notices a second, all made beforehand, each followed by the question of the NAS. */
export async function payAtRate(
  { webhook, authPort, nas }: Till,
  payers: readonly Payer[],
  rate: number,
): Promise<Waited> {
  const deeds = payers.map(({ login, body, contentType }) => ({
    request: httpRequest(webhook, { 'Content-Type': contentType }, body),
    asks: { login, password: linePassword, isAccepted: true },
  }))
  const waits = await atRate({ httpPort: Number(new URL(webhook).port), authPort, nas }, deeds, rate)
  return {
    answered: waits.flatMap(({ answered }) => answered ?? []),
    accepted: waits.flatMap(({ changed }) => changed ?? []),
    lost: waits.filter(({ changed }) => changed === null).length,
  }
}
