import { setTimeout as pause } from 'node:timers/promises'
import { readId, readSignedId, subscriberId } from '../../domain/ids.ts'
import { spelled } from '../../domain/text.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import type { SystemParts } from './parts.ts'
import { done, membersOf, refused } from './reply.ts'

/**
 * How long the caller waits for the NAS. Requests to a silent NAS are retransmitted even after the caller was answered.
 */
const answersWithinMs = 2_500

/**
 * `POST sessions/disconnect/`. A login is disconnected on every enabled NAS, whether or not it is known to have
 * sessions there, because an Accounting-Start may have been lost. A session is disconnected only on the NAS that holds
 * it. `sent` is the number of requests.
 */
export async function disconnect(parts: SystemParts, call: Call): Promise<Reply> {
  const body = membersOf(call)
  if ('reply' in body) return body.reply
  // Not read by the schema of the body: what cannot be an id names nothing, so it is answered like an unknown one.
  const { login, abonent_id: abonent, session_id: session } = body.members
  const named = [login, abonent, session].filter((value) => value !== undefined && value !== null && value !== '')
  if (named.length !== 1) return refused(400, 'Name one of login, abonent_id and session_id.')
  const [value] = named
  const order =
    value === login
      ? ofLogin(parts, value)
      : value === abonent
        ? await ofSubscriber(parts, value)
        : await ofSession(parts, value)
  if (typeof order === 'string') return refused(404, order)
  await waitForAnswers(parts, order)
  return done({ sent: order.sent })
}

/** Disconnect-Requests in flight. `answered` resolves when every NAS has answered or was given up. */
type DisconnectOrder = { readonly sent: number; readonly answered: Promise<unknown> }

const nothingToSend: DisconnectOrder = { sent: 0, answered: Promise.resolve() }

function ofLogin({ sessions, disconnects, loginOf }: SystemParts, sent: unknown): DisconnectOrder | string {
  const login = spelled(sent)
  const known = loginOf(login) ?? (sessions.liveOf(login).length > 0 ? login : null)
  return known === null ? 'There is no such login.' : disconnects.orderLogins([known], null)
}

async function ofSubscriber(parts: SystemParts, sent: unknown): Promise<DisconnectOrder | string> {
  const id = readId(sent)
  const { rows } = await parts.database.pool.query<{ logins: string[] }>(
    'SELECT ARRAY(SELECT login FROM users WHERE abonent_id = abonents.id) AS logins FROM abonents WHERE id = $1::int8',
    [id],
  )
  const [row] = rows
  if (id === null || !row) return 'There is no such subscriber.'
  const live = parts.sessions.ofSubscriber(subscriberId(id)).map(({ userLogin }) => userLogin)
  const logins = [...new Set([...row.logins, ...live])]
  return logins.length === 0 ? nothingToSend : parts.disconnects.orderLogins(logins, subscriberId(id))
}

/** A session that has already ended needs no request. */
async function ofSession(parts: SystemParts, sent: unknown): Promise<DisconnectOrder | string> {
  const id = readSignedId(sent)
  const session = id === null ? null : parts.sessions.byId(id)
  if (session) return parts.disconnects.orderSession(session)
  const { rowCount } = await parts.database.pool.query('SELECT 1 FROM radius_sessions WHERE id = $1::int8', [id])
  return rowCount === 0 ? 'There is no such session.' : nothingToSend
}

async function waitForAnswers({ log }: SystemParts, { answered }: DisconnectOrder): Promise<void> {
  const finished = answered.catch((error) => log.warn('a Disconnect of the System API failed', { error }))
  await Promise.race([finished, pause(answersWithinMs, undefined, { ref: false })])
}
