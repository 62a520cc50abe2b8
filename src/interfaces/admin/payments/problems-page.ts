import { momentWords } from '../../../billing/clients/words.ts'
import type { ProblemReason, ShownProblem } from '../../../billing/payments/problems.ts'
import type { Language } from '../../../domain/language.ts'
import { escapeHtml } from '../../../platform/http/reply.ts'

/** `/admin/payments/`: payments that were told of and not credited, for people; it works without scripts. */
export type ProblemsPage = {
  readonly items: readonly ShownProblem[]
  readonly total: number
  readonly hasMore: boolean
  /** Also those somebody has seen to. */
  readonly isAll: boolean
  /** From 1. */
  readonly page: number
  readonly csrfToken: string
  readonly language: Language
  readonly timeZone: string
}

type Words = {
  readonly title: string
  readonly none: string
  readonly open: string
  readonly all: string
  readonly newer: string
  readonly older: string
  readonly times: (count: number) => string
  readonly order: string
  readonly subscriber: string
  readonly payment: string
  readonly sender: string
  readonly notice: string
  readonly comment: string
  readonly seen: string
  readonly seenBy: (name: string, moment: string) => string
  readonly gateways: Readonly<Record<string, string>>
  readonly reasons: Readonly<Record<ProblemReason, string>>
}

const wordsOf: Readonly<Record<Language, Words>> = {
  ru: {
    title: 'Незачисленные платежи',
    none: 'Таких платежей нет.',
    open: 'Неразобранные',
    all: 'Все',
    newer: 'Новее',
    older: 'Раньше',
    times: (count) => `приходило раз: ${count}`,
    order: 'Заказ',
    subscriber: 'Абонент',
    payment: 'Платёж',
    sender: 'Отправитель',
    notice: 'Уведомление',
    comment: 'Что сделано',
    seen: 'Разобрано',
    seenBy: (name, moment) => `Разобрано: ${name}, ${moment}`,
    gateways: { gwa: 'Шлюз A', gwb: 'Шлюз B' },
    reasons: {
      badSignature: 'Подпись неверна',
      malformed: 'Уведомление не читается',
      wrongShop: 'Платёж другого магазина',
      unknownOrder: 'Нет такого заказа',
      unknownSubscriber: 'Нет такого абонента',
      wrongAmount: 'Сумма не та',
      doubled: 'Заказ оплачен дважды',
      notConfirmed: 'Шлюз не подтвердил платёж',
      notPosted: 'Счёт не принял платёж',
      orphaned: 'Оплата без заказа',
    },
  },
  en: {
    title: 'Payments not credited',
    none: 'There are none.',
    open: 'Open',
    all: 'All',
    newer: 'Newer',
    older: 'Older',
    times: (count) => `came ${count} times`,
    order: 'Order',
    subscriber: 'Subscriber',
    payment: 'Payment',
    sender: 'Sender',
    notice: 'Notice',
    comment: 'What was done',
    seen: 'Seen to',
    seenBy: (name, moment) => `Seen to by ${name}, ${moment}`,
    gateways: { gwa: 'Gateway A', gwb: 'Gateway B' },
    reasons: {
      badSignature: 'Wrong signature',
      malformed: 'The notice cannot be read',
      wrongShop: 'A payment of another shop',
      unknownOrder: 'There is no such order',
      unknownSubscriber: 'There is no such subscriber',
      wrongAmount: 'Wrong amount',
      doubled: 'The order was paid twice',
      notConfirmed: 'Not confirmed by the gateway',
      notPosted: 'Refused by the account',
      orphaned: 'Paid without an order',
    },
  },
}

export function problemsPage(shown: ProblemsPage): string {
  const { items, total, hasMore, isAll, page, language } = shown
  const words = wordsOf[language]
  const link = (title: string, query: string) => `<a href="/admin/payments/${query}">${title}</a>`
  const choice = [
    isAll ? link(words.open, '') : `<b>${words.open}</b>`,
    isAll ? `<b>${words.all}</b>` : link(words.all, '?all=1'),
  ]
  const pageOf = (number: number) => `?page=${number}${isAll ? '&amp;all=1' : ''}`
  const turns = [page > 1 && link(words.newer, pageOf(page - 1)), hasMore && link(words.older, pageOf(page + 1))]
  const list = items.length === 0 ? `<p>${words.none}</p>` : items.map((one) => card(one, shown, words)).join('\n')
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${words.title}</title><style>${style}</style></head><body><h1>${words.title} <small>${total}</small></h1>
<nav>${choice.join(' ')}</nav>
${list}
<nav>${turns.filter(Boolean).join(' ')}</nav></body></html>`
}

function card(problem: ShownProblem, { csrfToken, timeZone }: ProblemsPage, words: Words): string {
  const { id, gateway, reason, detail, amount, order_id, abonent_id, gateway_id, address, notice, last_at, times } =
    problem
  const moment = (at: string) => momentWords(new Date(at), timeZone)
  const facts = [
    [words.order, order_id],
    [words.subscriber, abonent_id],
    [words.payment, gateway_id],
    [words.sender, address],
  ] as const
  const said = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${escapeHtml(String(value))}`]))
  const head = [words.gateways[gateway] ?? gateway, moment(last_at), ...(times > 1 ? [words.times(times)] : [])]
  return `<article><h2>${words.reasons[reason]}${amount === null ? '' : ` · ${escapeHtml(amount)} ₽`}</h2>
<p>${escapeHtml(head.join(' · '))}</p><p>${said.join(' · ')}</p><p lang="en">${escapeHtml(detail)}</p>
<details><summary>${words.notice}</summary><pre>${escapeHtml(notice)}</pre></details>
${problem.resolved ? seen(problem, words, moment) : form(id, csrfToken, words)}</article>`
}

const seen = ({ resolved_by, resolved_at, comment }: ShownProblem, words: Words, moment: (at: string) => string) =>
  `<p class="good">${escapeHtml(words.seenBy(resolved_by ?? '', resolved_at === null ? '' : moment(resolved_at)))}</p>${comment === null ? '' : `<p>${escapeHtml(comment)}</p>`}`

const form = (id: number, csrfToken: string, words: Words): string =>
  `<form method="post" action="/admin/payments/${id}/"><input type="hidden" name="csrfmiddlewaretoken" value="${escapeHtml(csrfToken)}">
<label for="comment-${id}">${words.comment}</label><input id="comment-${id}" name="comment" maxlength="1000"><button>${words.seen}</button></form>`

const style = `body{font:16px system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}article{margin:1rem 0;border:1px solid #bbb;padding:.5rem 1rem}
h2{font-size:1.1rem;margin:.3rem 0}p{margin:.3rem 0;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere}small{color:#666}
nav a,nav b{margin-right:1rem}label{display:block;margin-top:.5rem}input,button{font:inherit;padding:.4rem;box-sizing:border-box}
input{width:100%}button{margin-top:.5rem}.good{color:#0a6b2d}`
