import type { Answer } from '../../api/client.ts'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { mailingTexts } from './texts.ts'

export const mailingsEndpoint = 'GET /admin/messages/mailing/'
export const mailingEndpoint = 'GET /admin/messages/mailing/{id}/'
export type Mailing = Answer<typeof mailingEndpoint>['mailing']

const tones = { gathering: 'info', sending: 'info', done: 'good', stopped: 'quiet', cut_off: 'bad' } as const

/** What a mailing is doing, or waits for. */
export function useMailingWords(): (mailing: Mailing) => string {
  const t = useTexts(mailingTexts)
  return ({ state, starts_at, quiet_until }) => {
    if (state === 'sending' && Date.parse(starts_at) > Date.now()) return t.planned
    return state === 'sending' && quiet_until !== null ? t.quiet : t[state]
  }
}

export function MailingState({ mailing }: { readonly mailing: Mailing }) {
  const words = useMailingWords()
  return <Pill tone={tones[mailing.state]}>{words(mailing)}</Pill>
}
