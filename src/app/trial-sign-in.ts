import { createSocket } from 'node:dgram'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { loginPasswordOf } from '../domain/login-password.ts'
import { codes, decodePacket, headerBytes, type PacketView } from '../network/radius/wire/packet.ts'
import { verifyResponse } from '../network/radius/wire/authenticator.ts'
import { beginPapRequest } from '../network/radius/wire/pap-request.ts'
import { SharedSecret } from '../network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../network/radius/wire/writer.ts'
import type { Log } from '../platform/log.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import { systemClock } from '../platform/actors/clock.ts'
import { openDatabase } from '../platform/storage/database.ts'
import { openBase } from './base.ts'
import type { Config } from './config.ts'
import { openNetwork } from './network.ts'
import { Stops } from './stops.ts'

/** The outcome of the trial in a sentence. `isGood`: the answer was the one that the tables call for. */
export type Trial = { readonly isGood: boolean; readonly sentence: string }

/** How many logins are looked at to find one that may sign in now. */
const candidatesMax = 1_000
/** An address of loopback that no NAS of an operator has. */
const trialNas = '127.213.71.9'
const waitsMs = [1_000, 2_000, 4_000]

type Place = { readonly config: Config; readonly databaseUrl: string; readonly log: Log }

/**
 * Opens of a program what answers RADIUS, and nothing else, on the database, and lets a login sign in there over UDP.
 * The database is a copy that is thrown away: the trial gives it a NAS of its own. Nothing leaves the machine.
 */
export async function trySignIn({ config, databaseUrl, log }: Place): Promise<Trial> {
  const stops = new Stops()
  try {
    const database = await openDatabase({ url: databaseUrl, log, isStarting: true })
    stops.add(() => database.close())
    const base = await openBase({ config, log, clock: systemClock, database, publicUrl: () => '', onStop: stops.add })
    const logins = await candidatesOf(database.pool, base.secrets)
    if (logins === 'none') return { isGood: true, sentence: 'There is no login that could sign in.' }
    if (logins.length === 0)
      return { isGood: false, sentence: 'No login signed in: no password could be opened as a clear one.' }
    const secret = 'a secret for one trial'
    await database.pool.query(`INSERT INTO nas (name, ip, secret) VALUES ('trial', $1, $2)`, [
      trialNas,
      base.secrets.seal(secret),
    ])
    const { radius, preview } = await openNetwork(base)
    await radius.start()
    const standing = (login: string) => preview.standingOf(login, systemClock.now())
    const chosen = logins.find(({ login }) => standing(login)?.nextRefusal === null) ?? logins[0]!
    const refusal = standing(chosen.login)?.nextRefusal ?? null
    const answer = await ask(radius.addresses.authPort, chosen, new SharedSecret(secret))
    return judged(chosen.login, refusal, answer)
  } finally {
    await stops.stop()
  }
}

function judged(login: string, refusal: string | null, answer: PacketView | null): Trial {
  if (answer === null) return { isGood: false, sentence: `The login ${login} got no answer by RADIUS.` }
  const isAccept = answer.code === codes.accessAccept
  if (isAccept === (refusal === null))
    return {
      isGood: true,
      sentence: isAccept
        ? `The login ${login} signed in by RADIUS.`
        : `The login ${login} was rejected by RADIUS, as it should be (${refusal}); none of those tried may sign in.`,
    }
  return {
    isGood: false,
    sentence: `The login ${login} was ${isAccept ? 'accepted' : 'rejected'} by RADIUS against what its record says.`,
  }
}

type Candidate = { readonly login: string; readonly password: string }

/** Logins with a clear password that opens; `none`: there is no login with any password. */
async function candidatesOf(pool: Pool, secrets: Secrets): Promise<Candidate[] | 'none'> {
  const { rows } = await pool.query<{ login: string; password: string }>(
    `SELECT login, password FROM users WHERE password <> '' ORDER BY enabled DESC, id LIMIT ${candidatesMax}`,
  )
  if (rows.length === 0) return 'none'
  return rows.flatMap(({ login, password }) => {
    const opened = secrets.openOrNull(password)
    const stored = opened === null ? null : loginPasswordOf(opened)
    return stored?.kind === 'clear' && stored.text !== '' ? [{ login, password: stored.text }] : []
  })
}

/** Null: no answer came that is signed with this secret. */
async function ask(port: number, of: Candidate, secret: SharedSecret): Promise<PacketView | null> {
  const writer = new PacketWriter()
  beginPapRequest(writer, 1, secret, { ...of, station: '02-00-00-00-00-01' })
  writer.finishRequest(secret)
  const request = writer.copy()
  const answered = Promise.withResolvers<PacketView>()
  const socket = createSocket('udp4')
  socket.on('error', answered.reject)
  socket.on('message', (datagram) => {
    const decoded = decodePacket(datagram)
    if ('packet' in decoded && verifyResponse(decoded.packet, request.subarray(4, headerBytes), secret))
      answered.resolve(decoded.packet)
  })
  try {
    await new Promise<void>((bound) => socket.bind(0, trialNas, bound))
    for (const waitMs of waitsMs) {
      socket.send(request, port, '127.0.0.1')
      const answer = await Promise.race([answered.promise, pause(waitMs, null, { ref: false })])
      if (answer) return answer
    }
    return null
  } finally {
    socket.close()
  }
}
