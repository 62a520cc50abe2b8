/** Phones and e-mail addresses as people type them. */

/**
 * The digits of a phone; a Russian number always has its country code: `8 900 1234567` and `9001234567` are
 * `79001234567`.
 */
export const phoneDigits = (text: string): string => text.replace(/\D/g, '').replace(/^8?(\d{10})$/, '7$1')

/** The same in SQL. An index of abonents holds exactly this expression. */
export const phoneDigitsSql = (text: string): string =>
  `regexp_replace(regexp_replace(${text}, '\\D', '', 'g'), '^8?(\\d{10})$', '7\\1')`

/** The digits of a phone that a message can be sent to. Null: they are too few or too many for a phone. */
export function readPhone(text: string | null): string | null {
  const digits = phoneDigits(text ?? '')
  return digits.length >= 7 && digits.length <= 15 ? digits : null
}

/** The first phone with ten or eleven digits in a field that may hold several, as the eleven digits of E.164. */
export function firstPhone(text: string): string | null {
  const found = text.split(/[,;/\n]/).find((part) => /^[1-9]\d{9,10}$/.test(part.replace(/\D/g, '')))
  return found === undefined ? null : phoneDigits(found)
}

/** The form of one e-mail address. It is deliberately loose: the mail server decides whether an address works. */
export const emailForm = /^[^\s@,;]+@[^\s@,;.]+(\.[^\s@,;.]+)+$/

/** The first address of a field that may hold several; payment gateways take ASCII only. */
export const firstAsciiEmail = (text: string): string | null =>
  text
    .split(/[\s,;]+/)
    .find((word) => word.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(word)) ?? null
