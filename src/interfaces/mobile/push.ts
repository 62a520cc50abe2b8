import Type from 'typebox'
import type { Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { base, okAnswer, refusalAnswer, tags } from './docs.ts'
import { limited, type MobileDoors, type PhoneCall } from './door.ts'
import { readBody } from './fields.ts'
import type { MobileParts } from './parts.ts'

const platforms = ['android', 'ios', 'web'] as const
/** As messages/push-devices.ts: the provider promises no length. */
const tokenMax = 4096

export const pushRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  {
    method: 'POST',
    path: `${base}/push/register`,
    door: 'mobile',
    doc: limited(doc),
    handler: doors.signedIn((phone) => register(parts, phone)),
  },
]

async function register({ devices }: MobileParts, phone: PhoneCall): Promise<Reply> {
  const body = readBody(phone)
  if ('refusal' in body) return body.refusal
  const { fields } = body
  const token = fields.text('token', tokenMax)
  if (/\p{Cc}/u.test(token)) fields.wrongText('token', tokenMax)
  const platform = fields.choice('platform', platforms)
  if (platform === null) fields.wrongChoice('platform', platforms)
  if (fields.refusal || platform === null) return fields.refusal!
  await devices.register(phone.client.subscriberId, token, platform)
  return json({ status: 'ok' })
}

const doc: RouteDoc = {
  tag: tags.account,
  summary: 'This device takes pushes',
  description: 'A device is of whoever registered it last; auth/logout with push_token takes it back.',
  body: Type.Object({
    token: Type.String({ minLength: 1, maxLength: tokenMax }),
    platform: Type.Enum([...platforms]),
  }),
  answers: {
    200: okAnswer('Registered'),
    400: refusalAnswer('bad_request'),
    415: refusalAnswer('unsupported_media_type'),
  },
}
