import { isLanguage, type Language, languages } from '../../domain/language.ts'

/** The language that an Accept-Language header prefers; the default language when it names none of ours. */
export const preferredLanguage = (header: string): Language => namedLanguage(header) ?? languages[0]

/**
 * The supported language that an Accept-Language header prefers (RFC 9110 section 12.5.4); null when it names none of
 * them.
 */
export function namedLanguage(header: string): Language | null {
  let best: Language | null = null
  let bestWeight = 0
  for (const range of header.slice(0, 500).split(',')) {
    const [tag = '', ...parameters] = range.split(';')
    const language = tag.trim().toLowerCase().split('-', 1)[0]!
    const weight = weightOf(parameters)
    if (!isLanguage(language) || weight <= bestWeight) continue
    best = language
    bestWeight = weight
  }
  return best
}

function weightOf(parameters: readonly string[]): number {
  const sent = parameters.map((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1]).find(Boolean)
  return sent === undefined ? 1 : Math.min(1, Number(sent))
}
