import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { NasEntry, NasIdentity } from '../../../domain/nas.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import { SharedSecret } from '../wire/shared-secret.ts'
import type { CoaClient } from './coa-client.ts'
import type { CoaOutcome } from './coa-outcome.ts'
import { writeCoaRequest } from './coa-packet.ts'
import { coaAddress } from './coa-rules.ts'

/** What a NAS did with a request about a session that does not exist. */
export const probeResults = ['answered', 'no_answer', 'wrong_secret', 'refused', 'no_address', 'stopped'] as const

export type NasProbe = {
  readonly result: (typeof probeResults)[number]
  /** How long the answer took, or how long it was waited for. */
  readonly ms: number
  /** The Error-Cause of a NAK (RFC 5176 section 3.6), which should be 503. */
  readonly errorCause: number | null
}

/** An operator waits for the result: one repetition, and three seconds in all. */
const attemptsMax = 2
/** A NAS that has not answered by then is asked whether it listens at all. */
const silenceMs = 1000

/**
 * Sends a Disconnect-Request for a login and a session that nobody has, which a NAS that listens and knows our secret
 * answers with a NAK. A NAS with another secret mostly stays silent (RFC 5176 section 2.3).
 */
export async function probeNas(
  client: Pick<CoaClient, 'send'>,
  nas: NasEntry,
  nasIdentity: NasIdentity,
  clock: Clock,
): Promise<NasProbe> {
  const address = coaAddress(nas, null)
  if (address === null) return { result: 'no_address', ms: 0, errorCause: null }
  const nobody = `tollgate-test-${randomUUID()}`
  const subject = { login: nobody, nasIdentity, session: { acctSessionId: nobody, ip: null, nasPort: null } }
  const beganMs = clock.elapsedMs()
  const refused = Promise.withResolvers<'refused'>()
  let close = () => {}
  const cancel = clock.after(silenceMs, () => {
    const packet = writeCoaRequest('disconnect', 0, subject, new SharedSecret(nas.secret), clock.now())
    close = askPort(nas, address, packet, () => refused.resolve('refused'))
  })
  try {
    const asked = client.send({ kind: 'disconnect', nas, address, subject, attemptsMax })
    const outcome = await Promise.race([asked, refused.promise])
    const ms = Math.round(clock.elapsedMs() - beganMs)
    if (outcome === 'refused') return { result: outcome, ms, errorCause: null }
    return { result: resultOf(outcome), ms, errorCause: outcome?.errorCause ?? null }
  } finally {
    cancel()
    close()
  }
}

function resultOf(outcome: CoaOutcome | null): NasProbe['result'] {
  if (outcome === null) return 'stopped'
  if (outcome.result !== 'no_answer') return 'answered'
  return outcome.wasForged ? 'wrong_secret' : 'no_answer'
}

/**
 * Learns by ICMP that nothing listens at the port of a silent NAS. The system reports that to connected sockets only,
 * and those of CoaClient are not, so the request is sent once more from a socket of its own. Returns how to close it.
 */
function askPort(nas: NasEntry, address: string, packet: Buffer, onRefused: () => void): () => void {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  let isClosed = false
  // Another error says nothing about the NAS, and the request itself has no answer then either.
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'ECONNREFUSED') onRefused()
  })
  socket.on('connect', () => {
    if (!isClosed) socket.send(packet)
  })
  socket.bind({ address: nas.coaSource ?? nas.askedIp ?? undefined, port: 0 }, () => {
    if (!isClosed) socket.connect(nas.coaPort, address)
  })
  return () => {
    isClosed = true
    socket.close()
  }
}
