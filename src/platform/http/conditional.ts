import { hash } from 'node:crypto'
import type { Call, Reply } from './call.ts'

/**
 * The entity tag of a body (RFC 9110 section 8.8.3), strong because it is made of every byte. A version from the tables would have to
 * cover each row that a record is made of (blocks, attributes and their names, relations, the count of a list), and a row that is
 * forgotten there would be a 304 for what has changed. The bytes cannot forget one, and hashing them costs three microseconds.
 */
export const tagOf = (body: string | Buffer): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`

/** Whether the client holds what this tag names: If-None-Match, compared weakly (RFC 9110 section 13.1.2). */
export function isHeld(call: Pick<Call, 'header'>, tag: string): boolean {
  const held = call.header('if-none-match')
  if (held === '') return false
  return held === '*' || held.split(',').some((name) => name.trim().replace(/^W\//, '') === tag)
}

/** Not kept by proxies, and asked for again each time by who keeps it. */
const caching = ['Cache-Control', 'private, no-cache'] as const

/** The answer of a GET or HEAD with its tag; 304 without a body when the client holds it already. */
export function conditional(call: Pick<Call, 'header'>, reply: Reply): Reply {
  const { status, body, headers = [] } = reply
  if (status !== 200 || (typeof body !== 'string' && !Buffer.isBuffer(body))) return reply
  const tag = tagOf(body)
  const tagged = [...headers, caching, ['ETag', tag] as const]
  return isHeld(call, tag) ? { status: 304, headers: tagged } : { ...reply, headers: tagged }
}
