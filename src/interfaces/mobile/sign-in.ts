import Type from 'typebox'
import { signInClient } from '../../billing/clients/credentials.ts'
import type { PhoneTokens } from '../../billing/clients/phone-sessions.ts'
import { lineOf } from '../../platform/http/address.ts'
import { readBearer } from '../../platform/http/bearer.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { someText } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { readBody, readMembers } from './body.ts'
import { okAnswer, password, refusalAnswer, tags } from './docs.ts'
import type { MobileDoors } from './door.ts'
import type { Asked, MobileParts } from './parts.ts'
import { refused, tooMany } from './refusal.ts'

/** Sign-in, refresh and sign-out. */
export function signInRoutes(parts: MobileParts, doors: MobileDoors): Route[] {
  return [
    doors.anonymous(
      '/auth/login',
      docs.login,
      (asked) => `login ${lineOf(asked.call.address)} ${nameOf(asked)}`,
      (asked) => signIn(parts, asked),
    ),
    doors.anonymous(
      '/auth/refresh',
      docs.refresh,
      (asked) => `refresh ${lineOf(asked.call.address)} ${sessionOf(fieldOf(asked, 'refresh'))}`,
      (asked) => refresh(parts, asked),
    ),
    doors.anonymous(
      '/auth/logout',
      docs.logout,
      ({ call }) => `logout ${lineOf(call.address)} ${call.header('authorization').slice(-43)}`,
      (asked) => signOut(parts, asked),
    ),
  ]
}

const nameMax = 128
const secretMax = 1000

async function signIn(parts: MobileParts, asked: Asked): Promise<Reply> {
  const read = readBody(asked, docs.login.body)
  if ('refusal' in read) return read.refusal
  const { contract: name, password: secret } = read.body
  const { call } = asked
  const attempt = await signInClient(parts, { entrance: 'phone', address: call.address }, name, secret)
  if (attempt.kind === 'throttled') return tooMany(asked, attempt.retryAfterSeconds)
  const tokens = attempt.result && (await parts.phones.start(attempt.result, call.address, call.header('user-agent')))
  return tokens ? tokensReply(tokens) : refused(asked, 401, 'wrong_credentials')
}

async function refresh({ phones, log }: MobileParts, asked: Asked): Promise<Reply> {
  const read = readBody(asked, docs.refresh.body)
  if ('refusal' in read) return read.refusal
  const { refresh: token } = read.body
  const outcome = await phones.refresh(token)
  if (outcome.kind === 'refreshed') return tokensReply(outcome.tokens)
  if (outcome.kind === 'reused') {
    log.warn('a spent refresh token came again, its phone is signed out', {
      session: sessionOf(token),
      address: asked.call.address,
    })
  }
  return refused(asked, 401, 'bad_token')
}

/** Signs out by the access token or, when that has expired, by the refresh token. */
async function signOut({ phones, devices }: MobileParts, asked: Asked): Promise<Reply> {
  const read = readBody(asked, docs.logout.body)
  if ('refusal' in read) return read.refusal
  const { push_token: device = null, refresh: token = null } = read.body
  const access = readBearer(asked.call.header('authorization'))
  const client = access === null ? null : await phones.find(access)
  if (client) {
    if (device !== null) await devices.forget(client.subscriberId, device)
    await phones.end(client.session, 'signed_out')
    return json({ status: 'ok' })
  }
  if (token === null || (await phones.refresh(token)).kind !== 'refreshed') return refused(asked, 401, 'bad_token')
  await phones.end(sessionOf(token), 'signed_out')
  return json({ status: 'ok' })
}

const tokensReply = ({ access, refresh: token, expiresIn }: PhoneTokens): Reply =>
  json({ access, refresh: token, token_type: 'Bearer', expires_in: expiresIn }, 200, [['Cache-Control', 'no-store']])

/**
 * The name that requests are counted by. Leading zeros are removed, because a contract number with and without them is
 * the same client. Bodies that cannot be read are counted under the empty name.
 */
const nameOf = (asked: Asked): string =>
  fieldOf(asked, 'contract').trim().slice(0, nameMax).toLowerCase().replace(/^0+/, '')

function fieldOf(asked: Asked, field: string): string {
  const read = readMembers(asked)
  const value = 'sent' in read && Object.hasOwn(read.sent, field) ? read.sent[field] : null
  return typeof value === 'string' ? value : ''
}

/** The id of the session, with which a refresh token begins. */
const sessionOf = (token: string): string => token.slice(0, 36)

const tokens = {
  doc: 'Signed in',
  schema: Type.Object({
    access: Type.String({ description: 'JWT, 15 minutes; sent as Authorization: Bearer' }),
    refresh: Type.String({ description: 'Good once, 30 days' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds' }),
  }),
}

const docs = {
  login: {
    tag: tags.signIn,
    summary: 'Sign in by contract number, with or without leading zeros, or by login',
    description: 'Too many wrong passwords, counted together with those of the portal, are 429 as well.',
    body: Type.Object({ contract: someText(nameMax), password }),
    answers: {
      200: tokens,
      400: refusalAnswer('bad_request'),
      401: refusalAnswer('wrong_credentials, the same for an unknown contract and a wrong password'),
    },
  },
  refresh: {
    tag: tags.signIn,
    summary: 'A new access token, and a new refresh token in place of the one that is sent',
    description: 'A refresh token that was used before signs its phone out: somebody else may have it.',
    body: Type.Object({ refresh: someText(secretMax) }),
    answers: {
      200: tokens,
      400: refusalAnswer('bad_request'),
      401: refusalAnswer('bad_token: sign in again'),
    },
  },
  logout: {
    tag: tags.signIn,
    summary: 'Sign out; by the access token in Authorization, or by the refresh token',
    body: Type.Partial(Type.Object({ push_token: someText(secretMax * 4), refresh: someText(secretMax) })),
    answers: {
      200: okAnswer('Signed out'),
      400: refusalAnswer('bad_request'),
      401: refusalAnswer('bad_token'),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
