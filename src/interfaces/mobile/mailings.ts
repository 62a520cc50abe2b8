import Type from 'typebox'
import { readOptOut, setOptOut } from '../../billing/messages/mailing/opt-out.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../platform/http/schemas.ts'
import { refusalAnswer, tags, toggle } from './docs.ts'
import type { MobileDoors } from './door.ts'
import type { MobileParts, PhoneCall } from './parts.ts'

/** Whether the client wants mailings. Notices about the own account are sent in any case. */
export const mailingRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  doors.signedIn('GET', '/account/mailings', docs.show, (phone) => show(parts, phone)),
  doors.write('/account/mailings', docs.change, async (phone, { enable }) => {
    await setOptOut(parts.pool, phone.client.subscriberId, !enable, phone.author)
    return show(parts, phone)
  }),
]

async function show({ pool }: MobileParts, { client }: PhoneCall): Promise<Reply> {
  const optOut = await readOptOut(pool, client.subscriberId)
  return json({ enabled: optOut === null, since: optOut?.at ?? null })
}

const schema = Type.Object({
  enabled: Type.With(schemas.boolean, { description: 'Mailings are wanted' }),
  since: Type.With(nullable(schemas.moment), { description: 'Since when none are wanted; null: they are' }),
})

const docs = {
  show: {
    tag: tags.account,
    summary: 'Whether mailings are wanted; notices about the account come in any case',
    answers: { 200: { doc: 'As it is', schema } },
  },
  change: {
    tag: tags.account,
    summary: 'Want mailings, or want none',
    body: Type.Object({ enable: toggle }),
    answers: { 200: { doc: 'As it is now', schema }, 400: refusalAnswer('bad_request') },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
