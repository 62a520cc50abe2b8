import { type Day, monthOf, numberOf, type Span, wholeMonth } from './calendar.ts'

const months = [
  ['январь', 'января'],
  ['февраль', 'февраля'],
  ['март', 'марта'],
  ['апрель', 'апреля'],
  ['май', 'мая'],
  ['июнь', 'июня'],
  ['июль', 'июля'],
  ['август', 'августа'],
  ['сентябрь', 'сентября'],
  ['октябрь', 'октября'],
  ['ноябрь', 'ноября'],
  ['декабрь', 'декабря'],
] as const

/** The days of a span within one month, as people write them: `ноябрь 2026`, `10–30 ноября 2026`, `21 ноября 2026`. */
export function spanText({ from, to }: Span): string {
  const month = monthOf(from)
  const [name, ofName] = months[Number(month.slice(5)) - 1]!
  const year = Number(month.slice(0, 4))
  const whole = wholeMonth(month)
  if (from === whole.from && to === whole.to) return `${name} ${year}`
  return `${from === to ? numberOf(from) : `${numberOf(from)}–${numberOf(to)}`} ${ofName} ${year}`
}

/** Descriptions of charges, which the client reads in the account's history. */
export const chargeText = {
  tariff: (name: string, span: Span) => `Абонплата ${name} за ${spanText(span)}`,
  service: (name: string, count: number, span: Span) =>
    `Услуга ${name}${count > 1 ? ` × ${count}` : ''} за ${spanText(span)}`,
  promise: (day: Day) => `Обещанный платёж за ${spanText({ from: day, to: day })}`,
  /** The rest of a charged month is given back, or settled at a change of tariff. */
  recalculation: (name: string, span: Span) => `Перерасчёт ${name} за ${spanText(span)}`,
} as const
