import { readVoluntaryBlock, switchVoluntaryBlock, type VoluntaryBlock } from '../../billing/clients/voluntary-block.ts'
import { closedWords } from '../../billing/clients/words.ts'
import { type BlockReason, blockReasons } from '../../domain/block.ts'
import { dayText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'
import { errorNote, csrfField, successNote, renderPage } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { redirectToSignIn } from './sign-in.ts'
import { authorOfVisit, formTexts, type Visit, visitOf } from './visit.ts'

const path = '/lk/block/'

/** GET /lk/block/: the voluntary block, which clients set and lift themselves. */
export async function showBlock(parts: PortalParts, call: Call, problem: string | null = null): Promise<Reply> {
  const visit = visitOf(parts, call)
  const block = await readVoluntaryBlock(parts, call.client!.subscriberId)
  if (!block) return redirectToSignIn(call)
  const body = markup`${problem !== null ? errorNote(problem) : noteOf(visit, call.query.get('done'))}
${card(visit, block, parts.settings.get('TIME_ZONE'), problem === null)}`
  const status = problem === null ? 200 : 400
  return renderPage(visit, { title: visit.texts.block.title, body, section: null, status })
}

/** POST /lk/block/ {enable: 1 or 0}: sets or lifts the voluntary block. */
export async function takeBlock(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const enable = formTexts(call)('enable')
  if (enable !== '1' && enable !== '0') return showBlock(parts, call, visit.texts.problems.other)
  const on = enable === '1'
  const switched = await switchVoluntaryBlock(parts, call.client!.subscriberId, on, authorOfVisit(visit))
  if (switched.kind === 'done') return redirect(`${path}?done=${on ? 'suspended' : (switched.closedBy ?? 'resumed')}`)
  if ('obstacle' in switched) return showBlock(parts, call, impossible(visit, switched.obstacle))
  return showBlock(parts, call, visit.texts.problems.refused)
}

function noteOf({ texts: { block: words }, language }: Visit, done: string | null): Markup | null {
  if (done === 'suspended' || done === 'resumed') return successNote(words[done])
  const reason = blockReasons.find((name) => name === done)
  return reason ? errorNote(words.stillClosed(closedWords[language][reason])) : null
}

const impossible = ({ texts, language }: Visit, obstacle: BlockReason): string =>
  texts.block.impossible(closedWords[language][obstacle])

function card(visit: Visit, { enabled, since, obstacle }: VoluntaryBlock, zone: string, explains: boolean): Markup {
  const { block: words } = visit.texts
  const button = (value: '0' | '1', text: string) =>
    markup`<form method="post" action="${path}">${csrfField(visit)}<button name="enable" value="${value}">${text}</button></form>`
  if (enabled) {
    return markup`<section><p>${since ? words.isOn(dayText(since, zone)) : words.isOnSomehow}</p>${button('0', words.off)}</section>`
  }
  return markup`<section><p>${words.what}</p>${
    obstacle ? explains && markup`<p class="note">${impossible(visit, obstacle)}</p>` : button('1', words.on)
  }</section>`
}
