/**
 * SQL for the digits of a phone however it was typed, a Russian number always with its country code: `+7 (900) 123-45-67`,
 * `8 900 1234567` and `9001234567` are all `79001234567`. An index of abonents holds exactly this expression.
 */
export const phoneDigits = (text: string): string =>
  `regexp_replace(regexp_replace(${text}, '\\D', '', 'g'), '^8?(\\d{10})$', '7\\1')`
