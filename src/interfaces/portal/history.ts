import {
  type HistoryKind,
  type HistoryPage,
  historyPeriods,
  periodStart,
  readHistory,
} from '../../billing/clients/history.ts'
import { dayText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { amountMarkup } from './amounts.ts'
import { renderPage } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { type Visit, visitOf } from './visit.ts'

const perPage = 25
const kinds = ['payments', 'charges', 'all'] as const satisfies readonly HistoryKind[]
const periods = [...historyPeriods, 'all'] as const

type Chosen = { readonly kind: HistoryKind; readonly period: (typeof periods)[number]; readonly page: number }

/** GET /lk/payments/?kind=&period=&page=: receipts and charges. Parameters with unknown values are ignored. */
export async function showHistory(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const { history: words } = visit.texts
  const chosen = chosenIn(call.query)
  const zone = parts.settings.get('TIME_ZONE')
  const { kind, period, page } = chosen
  const from = period === 'all' ? null : periodStart(period, parts.clock.now(), zone)
  const found = await readHistory(parts, call.client!.subscriberId, { kind, from, to: null, page, perPage })
  const body = markup`${chips(
    words.kind,
    kinds.map((each) => [words.kinds[each], addressOf({ ...chosen, kind: each, page: 1 }), each === kind]),
  )}${chips(
    words.period,
    periods.map((each) => [words.periods[each], addressOf({ ...chosen, period: each, page: 1 }), each === period]),
  )}<section>${found.items.length === 0 ? markup`<p>${words.none}</p>` : table(visit, found, zone)}${pages(visit, chosen, found)}</section>`
  return renderPage(visit, { title: words.title, body, section: 'history' })
}

function chosenIn(query: URLSearchParams): Chosen {
  const page = /^[1-9]\d{0,5}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1
  return {
    kind: kinds.find((each) => each === query.get('kind')) ?? 'all',
    period: periods.find((each) => each === query.get('period')) ?? '3month',
    page,
  }
}

const addressOf = ({ kind, period, page }: Chosen): string =>
  `/lk/payments/?kind=${kind}&period=${period}${page > 1 ? `&page=${page}` : ''}`

const chips = (title: string, links: readonly (readonly [string, string, boolean])[]): Markup =>
  markup`<ul class="chips" aria-label="${title}">${links.map(
    ([text, address, isHere]) =>
      markup`<li><a href="${address}"${isHere && markup` aria-current="true"`}>${text}</a></li>`,
  )}</ul>`

function table({ texts: { history: words }, language }: Visit, { items, sum }: HistoryPage, zone: string): Markup {
  const rows = items.map(({ date, description, amount, storno }) => {
    const tone = storno ? 'gone' : amount > 0n ? 'in' : ''
    return markup`<tr><td><small>${dayText(date, zone)}${storno && markup`, ${words.reversed}`}</small>${description}</td>
<td class="sum ${tone}">${amountMarkup(amount, language)}</td></tr>`
  })
  return markup`<table><caption>${words.title}</caption>
<thead><tr><th scope="col">${words.date}, ${words.description}</th><th scope="col" class="sum">${words.amount}</th></tr></thead>
<tbody>${rows}</tbody>
<tfoot><tr><th scope="row">${words.sum}</th><td class="sum">${amountMarkup(sum, language)}</td></tr></tfoot></table>`
}

function pages({ texts: { history: words } }: Visit, chosen: Chosen, { total, page }: HistoryPage): Markup | null {
  const count = Math.max(1, Math.ceil(total / perPage))
  if (count === 1 && page === 1) return null
  const link = (to: number, text: string, rel: string) =>
    to >= 1 && to <= count && markup`<li><a rel="${rel}" href="${addressOf({ ...chosen, page: to })}">${text}</a></li>`
  return markup`<p class="soft">${words.pageOf(page, count)}</p><ul class="chips">${link(Math.min(page - 1, count), words.newer, 'prev')}${link(page + 1, words.older, 'next')}</ul>`
}
