import Type from 'typebox'
import { readText } from '../../domain/text.ts'
import type { Route } from '../../platform/http/call.ts'
import { choice, field } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import { okAnswer, refusalAnswer, tags } from './docs.ts'
import type { MobileDoors } from './door.ts'
import type { MobileParts } from './parts.ts'

/** As in billing/messages/push-devices.ts; the provider does not guarantee any maximum length. */
const tokenMax = 4096

export const pushRoutes = ({ devices }: MobileParts, doors: MobileDoors): Route[] => [
  doors.write('/push/register', doc, async ({ client }, { token, platform }) => {
    await devices.register(client.subscriberId, token, platform)
    return json({ status: 'ok' })
  }),
]

const doc = {
  tag: tags.account,
  summary: 'This device takes pushes',
  description: 'A device is of whoever registered it last; auth/logout with push_token takes it back.',
  body: Type.Object({
    token: field(
      Type.String({ minLength: 1, maxLength: tokenMax, pattern: String.raw`^\P{Cc}*$` }),
      `be a token of at most ${tokenMax} characters`,
      (sent) => /^\P{Cc}+$/u.exec(readText(sent, tokenMax) ?? '')?.[0] ?? null,
    ),
    platform: choice(['android', 'ios', 'web']),
  }),
  answers: {
    200: okAnswer('Registered'),
    400: refusalAnswer('bad_request'),
  },
}
