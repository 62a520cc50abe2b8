import type { Formats } from './formats.ts'

const amounts: ReadonlySet<string> = new Set(['amount', 'balance', 'limit', 'warn', 'fee', 'summ'])

/** What a record has in a field, as people read it: amounts and moments in their forms, everything else as it is. */
export function storedText(field: string, text: string, format: Pick<Formats, 'money' | 'moment'>): string {
  if (amounts.has(field) && /^-?\d+(\.\d+)?$/.test(text)) return format.money(text)
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? format.moment(text) : text
}
