import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { SharedSecret } from '../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../src/network/radius/wire/writer.ts'
import { accessRequest } from '../access-client.ts'
import { loginOf, passwordNumber, passwords, secret } from './subscribers.ts'
import type { Server } from './tollgate.ts'

/** Message-Authenticator and Class. */
const signedAttributes: ReadonlySet<number> = new Set([80, 25])

/**
 * What a server answers to the right password of a subscriber, as `type:hex` in alphabetic order. The values of
 * Message-Authenticator and Class are left out, because they are signatures; only their presence is reported.
 */
export async function answerOf(port: number, nas: string, user: number): Promise<string> {
  const socket = createSocket('udp4')
  socket.bind(0, nas)
  await once(socket, 'listening')
  const request = accessRequest(
    new PacketWriter(),
    new SharedSecret(secret),
    1,
    loginOf(user),
    passwords[passwordNumber(user)]!,
  )
  socket.send(request, port, '127.0.0.1')
  const [answer] = (await once(socket, 'message', { signal: AbortSignal.timeout(5_000) })) as [Buffer]
  socket.close()
  const attributes: string[] = []
  for (let at = 20; at < answer.length; at += answer[at + 1]!) {
    const value = answer.toString('hex', at + 2, at + answer[at + 1]!)
    attributes.push(signedAttributes.has(answer[at]!) ? String(answer[at]) : `${answer[at]}:${value}`)
  }
  return `${answer[0]} ${attributes.sort().join(' ')}`
}

/** A comparison of servers that answer different things would compare nothing. */
export async function mustAnswerAlike(servers: Record<string, Server>, nas: string, user: number): Promise<void> {
  const answers = await Promise.all(
    Object.entries(servers).map(async ([name, { authPort }]) => ({
      name,
      answer: await answerOf(authPort, nas, user),
    })),
  )
  if (new Set(answers.map(({ answer }) => answer)).size > 1)
    throw new Error(`Answers differ:\n${answers.map(({ name, answer }) => `${name}: ${answer}`).join('\n')}`)
}
