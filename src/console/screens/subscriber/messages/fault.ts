import { useTexts } from '../../../texts/texts.ts'
import { faultTexts } from './texts.ts'

type Texts = (typeof faultTexts)['ru' | 'en']

const sentences: readonly (readonly [sentence: RegExp, say: (t: Texts, of: string) => string])[] = [
  [/^The subscriber is deleted\.$/, (t) => t.deleted],
  [/^The subscriber has no device, phone or e-mail address\.$/, (t) => t.noAddress],
  [/^No provider is set up for it: (.+)\.$/, (t, names) => t.noProvider(names.replaceAll(' or ', ', '))],
  [/^Given up: it was not sent while it was of use\.$/, (t) => t.late],
  [/^The device has been forgotten\.$/, (t) => t.deviceGone],
  [/^It is not an e-mail address\.$/, (t) => t.notMailbox],
  [/^The mail server was not reached: (.+)\.$/, (t, why) => t.noMailServer(why)],
]

/** The last words of a message that was given up follow those of its last attempt. */
const parts = /^(.*?)\s*(Given up: it was not sent while it was of use\.)$/s

/** Says why a message was not sent in the language of the user, as far as the words are those of the program. */
export function useSayFault(): (error: string) => string {
  const t = useTexts(faultTexts)
  const say = (sentence: string): string => {
    for (const [form, words] of sentences) {
      const found = form.exec(sentence)
      if (found) return words(t, found[1] ?? '')
    }
    return sentence
  }
  return (error) => {
    const [, before, end] = parts.exec(error) ?? [null, error, null]
    return [before, end].flatMap((sentence) => (sentence ? [say(sentence)] : [])).join('. ')
  }
}
