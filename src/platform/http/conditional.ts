import { hash } from 'node:crypto'
import type { Call, Reply } from './call.ts'

/**
 * The entity tag of a body (RFC 9110 section 8.8.3). It is strong, because it is a hash of every byte. A tag made from
 * versions in the tables would have to cover each row that a record consists of (blocks, attributes and their names,
 * relations, the count of a list), and a row that was overlooked would cause a 304 for changed data. Hashing the bytes
 * takes three microseconds.
 */
export const tagOf = (body: string | Buffer): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`

/**
 * Whether If-None-Match names this tag, by weak comparison (RFC 9110 section 13.1.2): the client has the current body.
 */
export function clientHas(call: Pick<Call, 'header'>, tag: string): boolean {
  const tags = call.header('if-none-match')
  if (tags === '') return false
  return tags === '*' || tags.split(',').some((name) => name.trim().replace(/^W\//, '') === tag)
}

/** Proxies must not cache the answer, and browsers must revalidate it at each use. */
const caching = ['Cache-Control', 'private, no-cache'] as const

/** Adds the entity tag to the answer of a GET or HEAD, or replaces it by a 304 when the client has the current body. */
export function conditional(call: Pick<Call, 'header'>, reply: Reply): Reply {
  const { status, body, headers = [] } = reply
  if (status !== 200 || (typeof body !== 'string' && !Buffer.isBuffer(body))) return reply
  const tag = tagOf(body)
  const tagged = [...headers, caching, ['ETag', tag] as const]
  return clientHas(call, tag) ? { status: 304, headers: tagged } : { ...reply, headers: tagged }
}
