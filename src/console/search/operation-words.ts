import type { Formats } from '../format/formats.ts'

type Found = { readonly title: string; readonly subtitle: string }
type Ways = Pick<Formats, 'money' | 'plainDay'> & { readonly words: (text: string) => string }

const apart = ' · '

/** A found operation, `17 · Касса` and `2026-11-30 · 850.00 · …`, with its type, day and sum as people read them. */
export function operationWords({ title, subtitle }: Found, { words, plainDay, money }: Ways): Found {
  const [number = '', ...type] = title.split(apart)
  const [day = '', sum = '', ...rest] = subtitle.split(apart)
  return {
    title: [number, words(type.join(apart))].join(apart),
    subtitle: [plainDay(day), money(sum), ...rest].join(apart),
  }
}
