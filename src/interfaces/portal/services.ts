import { type ClientService, readServices, switchService } from '../../billing/clients/services.ts'
import { readSignedId } from '../../domain/ids.ts'
import { wholeAmountText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'
import { writing } from '../../platform/storage/transactions.ts'
import { csrfField, errorNote, type FormError, renderPage, successNote } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { authorOfVisit, formTexts, type Visit, visitOf } from './visit.ts'

const path = '/lk/services/'

/** GET /lk/services/: the services that are on, and those on offer. */
export async function showServices(parts: PortalParts, call: Call, refusal: FormError | null = null): Promise<Reply> {
  const visit = visitOf(parts, call)
  const { services: words } = visit.texts
  const all = await readServices(parts.pool, call.client!.subscriberId)
  const done = (['on', 'off'] as const).find((name) => name === call.query.get('done'))
  const group = (title: string, some: readonly ClientService[]) =>
    some.length > 0 &&
    markup`<section><h2>${title}</h2><ul class="entries">${some.map((service) => item(visit, service))}</ul></section>`
  const body = markup`${refusal ? errorNote(refusal.text) : done && successNote(words.done[done])}
${all.length === 0 && markup`<p>${words.none}</p>`}${group(
  words.mine,
  all.filter(({ enabled }) => enabled),
)}${group(
  words.offered,
  all.filter(({ enabled }) => !enabled),
)}`
  return renderPage(visit, { title: words.title, body, section: null, status: refusal?.status ?? 200 })
}

/** POST /lk/services/ {service_id, enable: 1 or 0}. */
export async function takeServices(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const { services: words, problems } = visit.texts
  const sent = formTexts(call)
  const [id, enable] = [readSignedId(sent('service_id')) ?? 0, sent('enable')]
  if (enable !== '1' && enable !== '0') return showServices(parts, call, { status: 400, text: problems.other })
  const switched = await writing(parts, (client) =>
    switchService(client, call.client!.subscriberId, id, enable === '1', authorOfVisit(visit)),
  )
  if (switched.kind === 'done') return redirect(`${path}?done=${enable === '1' ? 'on' : 'off'}`)
  const isFixed = switched.reason === 'fixed'
  return showServices(parts, call, { status: isFixed ? 400 : 404, text: isFixed ? words.fixed : words.missing })
}

function item(visit: Visit, { id, name, price, enabled, canToggle }: ClientService): Markup {
  const { services: words, tariff } = visit.texts
  const button = canToggle
    ? markup`<form method="post" action="${path}">${csrfField(visit)}<input type="hidden" name="service_id" value="${id}">
<button${enabled && markup` class="second"`} name="enable" value="${enabled ? '0' : '1'}">${enabled ? words.off : words.on}</button></form>`
    : markup`<small>${words.fixed}</small>`
  return markup`<li><strong>${name}</strong><small>${tariff.monthly(wholeAmountText(price, visit.language))}</small>${button}</li>`
}
