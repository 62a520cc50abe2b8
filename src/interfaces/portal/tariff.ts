import { chooseTariff, type OfferedTariff, readTariffs, tariffStart } from '../../billing/clients/tariffs.ts'
import type { Day } from '../../domain/calendar.ts'
import { readId } from '../../domain/ids.ts'
import { shownDay, wholeAmountText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'
import { amountMarkup } from './amounts.ts'
import { csrfField, errorNote, type FormError, facts, renderPage, successNote } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { redirectToSignIn } from './sign-in.ts'
import type { Texts } from './texts/ru.ts'
import { authorOfVisit, formTexts, type Visit, visitOf } from './visit.ts'

const path = '/lk/tariff/'
const outcomes = ['changed', 'planned', 'kept'] as const

/** GET /lk/tariff/: the client's tariff and those on offer. With `?id=` what a change to that one would be. */
export async function showTariff(parts: PortalParts, call: Call, refusal: FormError | null = null): Promise<Reply> {
  const visit = visitOf(parts, call)
  const { tariff: words } = visit.texts
  const { items, next } = await readTariffs(parts, call.client!.subscriberId)
  const current = items.find(({ isCurrent }) => isCurrent) ?? null
  const asked = refusal === null ? call.query.get('id') : null
  const wanted = items.find(({ id, isCurrent }) => !isCurrent && id === readId(asked))
  if (asked !== null && !wanted) return showTariff(parts, call, unknown(words))
  const done = outcomes.find((name) => name === call.query.get('done'))
  const body = wanted
    ? question(parts, visit, current, wanted)
    : markup`${refusal ? errorNote(refusal.text) : done && successNote(words[done])}
${present(visit, current, next)}${offers(visit, items)}`
  return renderPage(visit, { title: words.title, body, section: null, status: refusal?.status ?? 200 })
}

/** POST /lk/tariff/ {tariff_id}: changes the tariff, or takes a planned change back when it is the present one. */
export async function takeTariff(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const { tariff: words } = visit.texts
  const id = readId(formTexts(call)('tariff_id')) ?? 0
  const { subscriberId } = call.client!
  const { from, isLater } = tariffStart(parts)
  const chosen = await chooseTariff(parts, subscriberId, id, authorOfVisit(visit), [])
  if (chosen.kind === 'refused') {
    if (chosen.reason === 'missing') return redirectToSignIn(call)
    const isCurrent = chosen.reason === 'current'
    return showTariff(parts, call, isCurrent ? { status: 400, text: words.current } : unknown(words))
  }
  await parts.changed({ table: 'abonents', ids: [subscriberId] })
  const outcome = chosen.operationId !== null ? 'changed' : isLater && chosen.from === from ? 'planned' : 'kept'
  return redirect(`${path}?done=${outcome}`)
}

const unknown = ({ missing }: Texts['tariff']): FormError => ({ status: 404, text: missing })

const choice = (visit: Visit, id: number, text: string, kind: '' | 'second' = ''): Markup =>
  markup`<form method="post" action="${path}">${csrfField(visit)}<button${kind && markup` class="${kind}"`} name="tariff_id" value="${id}">${text}</button></form>`

function present(visit: Visit, current: OfferedTariff | null, next: { name: string; from: Day } | null): Markup {
  const { tariff: words, home } = visit.texts
  const kept = next && current && choice(visit, current.id, words.keep(current.name), 'second')
  return markup`<section>${facts([
    [words.now, current?.name ?? home.noTariff],
    [words.price, current && amountMarkup(current.price, visit.language)],
    [home.speed, current && speedOf(visit, current)],
    [words.next, next && words.from(next.name, shownDay(next.from))],
  ])}${kept}</section>`
}

function offers(visit: Visit, tariffs: readonly OfferedTariff[]): Markup {
  const { tariff: words } = visit.texts
  const items = tariffs
    .filter(({ isCurrent }) => !isCurrent)
    .map((tariff) => {
      const { id, name, price, description } = tariff
      const terms = [words.monthly(wholeAmountText(price, visit.language)), speedOf(visit, tariff)]
      const more = [terms.filter((term) => term !== '').join(', '), description].filter((text) => text !== '')
      return markup`<li><a href="${path}?id=${id}">${name}<small>${more.join('. ')}</small></a></li>`
    })
  if (items.length === 0) return markup`<p>${words.none}</p>`
  return markup`<section><h2>${words.others}</h2><ul class="actions">${items}</ul></section>`
}

function question(parts: PortalParts, visit: Visit, current: OfferedTariff | null, wanted: OfferedTariff): Markup {
  const { tariff: words, home } = visit.texts
  const { from, isLater } = tariffStart(parts)
  return markup`<section>${facts([
    [words.now, current?.name ?? home.noTariff],
    [words.wanted, wanted.name],
    [words.price, amountMarkup(wanted.price, visit.language)],
    [home.speed, speedOf(visit, wanted)],
    [words.begins, isLater ? shownDay(from) : words.atOnce],
  ])}${choice(visit, wanted.id, words.change)}</section><p><a href="${path}">${words.all}</a></p>`
}

const speedOf = ({ texts: { home } }: Visit, { speedMbit }: OfferedTariff): string =>
  speedMbit === null ? '' : home.megabits(String(speedMbit))
