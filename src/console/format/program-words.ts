/** Names of the built-in types of operations as the program gives them. One that the provider has changed is theirs. */
const names: Readonly<Record<string, string>> = {
  'Абонплата за услугу': 'Monthly service fee',
  'Ручное зачисление': 'Manual top-up',
  'Ручное списание': 'Manual charge',
  'Онлайн-оплата (шлюз A)': 'Online payment (gateway A)',
  'Онлайн-оплата (шлюз B)': 'Online payment (gateway B)',
  'Обещанный платёж': 'Promise payment',
  Абонплата: 'Monthly tariff fee',
  'Смена тарифа': 'Change of tariff',
  Касса: 'Cash desk',
  Перерасчёт: 'Recalculation',
  'Возврат обещанного платежа': 'Return of a promise payment',
  'Плата за подключение обещанного платежа оператором': 'Fee for a promise payment given by an operator',
}

const months = 'янв фев мар апр ма июн июл авг сен окт ноя дек'.split(' ')
const monthNames = Array.from({ length: 12 }, (_, at) =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(new Date(Date.UTC(2026, at, 1))),
)

/** `10–30 ноября 2026`: `10–30 November 2026`. */
const spanText = (text: string): string =>
  text.replace(/[а-яё]{3,}/, (word) => {
    const at = months.findIndex((begin) => word.startsWith(begin))
    return monthNames[at] ?? word
  })

/** Descriptions that the program writes with an operation (domain/charge-words.ts, billing/accounts). */
const patterns: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^Сторно операции (\d+)$/, (id) => `Reversal of operation ${id}`],
  [/^Абонплата (.+) за ([\d–]* ?[а-яё]+ \d{4})$/, (name, span) => `Fee of the tariff ${name} for ${spanText(span!)}`],
  [/^Услуга (.+) за ([\d–]* ?[а-яё]+ \d{4})$/, (name, span) => `Service ${name} for ${spanText(span!)}`],
  [/^Обещанный платёж за ([\d–]* ?[а-яё]+ \d{4})$/, (span) => `Promise payment for ${spanText(span!)}`],
  [/^Перерасчёт (.+) за ([\d–]* ?[а-яё]+ \d{4})$/, (name, span) => `Recalculation of ${name} for ${spanText(span!)}`],
  [/^Смена тарифа: (.+) → (.+)$/, (from, to) => `Change of tariff: ${noneOr(from!)} → ${noneOr(to!)}`],
  [
    /^Онлайн-оплата: внесено ([\d.]+) руб\., комиссия ([\d.]+) руб\.(.*)$/s,
    (paid, fee, rest) => `Online payment: paid ${paid} RUB, commission ${fee} RUB${rest}`,
  ],
  [
    /^Онлайн-оплата (\S+): оператор зачислил ([\d.]+) руб\. из незачисленных$/,
    (id, amount) => `Online payment ${id}: an operator credited ${amount} RUB of what was not credited`,
  ],
]

const noneOr = (name: string): string => (name === 'нет' ? 'none' : name)

/** What the program itself has written with money, in English; everything else stays as somebody wrote it. */
export function inEnglish(text: string): string {
  const name = names[text]
  if (name !== undefined) return name
  for (const [pattern, said] of patterns) {
    const [, ...parts] = pattern.exec(text) ?? []
    if (parts.length > 0) return said(...parts)
  }
  return text
}
