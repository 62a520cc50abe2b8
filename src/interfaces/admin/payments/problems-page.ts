import type { ShownProblem } from '../../../billing/payments/problems.ts'
import { catalogue, type Language } from '../../../domain/language.ts'
import { momentText } from '../../../domain/wording.ts'
import { type Markup, markup } from '../../../platform/formats/html.ts'
import type { Page } from '../paging.ts'
import { paymentsPage } from './page.ts'

/**
 * `/admin/payments/`: payments that a gateway reported and that were not credited, for people; it works without
 * scripts.
 */
export type ProblemsPage = {
  readonly items: readonly ShownProblem[]
  readonly total: number
  /** Resolved problems are shown as well. */
  readonly isAll: boolean
  readonly page: Page
  readonly csrfToken: string
  readonly language: Language
  readonly timeZone: string
}

const wordsOf = catalogue({
  ru: {
    title: 'Незачисленные платежи',
    none: 'Таких платежей нет.',
    open: 'Неразобранные',
    all: 'Все',
    newer: 'Новее',
    older: 'Раньше',
    times: (count: number) => `приходило раз: ${count}`,
    order: 'Заказ',
    subscriber: 'Абонент',
    payment: 'Платёж',
    sender: 'Отправитель',
    notice: 'Уведомление',
    comment: 'Что сделано',
    seen: 'Разобрано',
    seenBy: (name: string, moment: string) => `Разобрано: ${name}, ${moment}`,
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
})

type Words = (typeof wordsOf)[Language]

export function problemsPage(shown: ProblemsPage): string {
  const { items, total, isAll, page, language } = shown
  const words = wordsOf[language]
  const link = (title: string, query: string) => markup`<a href="/admin/payments/${query}">${title}</a>`
  const here = (title: string) => markup`<b>${title}</b>`
  const isMore = page.offset + page.perPage < total
  const pageOf = (number: number) => `?page=${number}${isAll ? '&all=1' : ''}`
  const body = markup`<h1>${words.title} <small>${total}</small></h1>
<nav>${isAll ? link(words.open, '') : here(words.open)} ${isAll ? here(words.all) : link(words.all, '?all=1')}</nav>
${items.length === 0 ? markup`<p>${words.none}</p>` : items.map((one) => card(one, shown, words))}
<nav>${page.page > 1 && link(words.newer, pageOf(page.page - 1))} ${isMore && link(words.older, pageOf(page.page + 1))}</nav>`
  return paymentsPage({ language, title: words.title, body })
}

function card(problem: ShownProblem, { csrfToken, timeZone }: ProblemsPage, words: Words): Markup {
  const { id, gateway, reason, detail, amount, order_id, abonent_id, gateway_id, address, notice, last_at, times } =
    problem
  const moment = (at: string) => momentText(new Date(at), timeZone)
  const facts = [
    [words.order, order_id],
    [words.subscriber, abonent_id],
    [words.payment, gateway_id],
    [words.sender, address],
  ] as const
  const known = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  const head = [words.gateways[gateway], moment(last_at), ...(times > 1 ? [words.times(times)] : [])]
  return markup`<article><h2>${words.reasons[reason]}${amount !== null && ` · ${amount} ₽`}</h2>
<p>${head.join(' · ')}</p><p>${known.join(' · ')}</p><p lang="en">${detail}</p>
<details><summary>${words.notice}</summary><pre>${notice}</pre></details>
${problem.resolved ? resolution(problem, words, moment) : form(id, csrfToken, words)}</article>
`
}

function resolution(problem: ShownProblem, words: Words, moment: (at: string) => string): Markup {
  const { resolved_by, resolved_at, comment } = problem
  const seenBy = words.seenBy(resolved_by ?? '', resolved_at === null ? '' : moment(resolved_at))
  return markup`<p class="good">${seenBy}</p>${comment !== null && markup`<p>${comment}</p>`}`
}

const form = (id: number, csrfToken: string, words: Words): Markup =>
  markup`<form method="post" action="/admin/payments/${id}/"><input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}">
<label for="comment-${id}">${words.comment}</label><input id="comment-${id}" name="comment" maxlength="1000"><button>${words.seen}</button></form>`
