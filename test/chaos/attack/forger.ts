import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { beginAccounting } from '../../../src/demo/accounting-request.ts'
import type { Dice } from '../../../src/demo/dice.ts'
import { attributes } from '../../../src/network/radius/wire/attribute-types.ts'
import { codes, decodePacket } from '../../../src/network/radius/wire/packet.ts'
import { hidePassword } from '../../../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../../src/network/radius/wire/writer.ts'
import { linePassword } from '../../support/provider.ts'
import { shortly } from '../door.ts'
import { type ChaosNas, nasSecret } from '../nas.ts'
import { between, chance } from '../plan.ts'
import type { Stage } from '../stage.ts'

const rightSecret = new SharedSecret(nasSecret)
const wrongSecret = new SharedSecret('not-the-secret')
/** Less than a socket keeps for a program that is busy: what its machine has no room for is lost to every program. */
const burst = 40

/** Each is a packet and whether it comes from the address of the NAS (null: there is nothing to forge it of). */
type Forgery = (dice: Dice, nas: ChaosNas, login: string) => { bytes: Buffer | undefined; asNas: boolean }

/**
 * Packets that must come to nothing, one by one and in floods: of a source that is no NAS, with its secret even; of the
 * address of a NAS without its secret; overheard ones, sent again from elsewhere, or cut short and altered.
 */
export async function forgePackets(stage: Stage, strangeIp: string): Promise<void> {
  const dice = stage.dice('forger')
  const sockets = new Map<ChaosNas | null, Socket>()
  sockets.set(null, await openSocket(strangeIp, stage))
  for (const nas of stage.nas) sockets.set(nas, await openSocket(nas.parts.ip, stage))
  while (!stage.isOver) {
    await stage.whileAttackerRests()
    const count = chance(dice, 2) ? burst : 1
    for (let n = 0; n < count; n++) {
      const nas = dice.pick(stage.nas)
      const { bytes, asNas } = dice.pick(forgeries)(dice, nas, dice.pick(stage.clients).login)
      if (!bytes) continue
      const { authPort, acctPort } = nas.server
      const port = bytes[0] === codes.accessRequest ? authPort : acctPort
      sockets.get(asNas ? nas : null)!.send(bytes, port, '127.0.0.1')
      stage.doors['forged packets'].took('refused', stage.nowMs, stage.nowMs)
    }
    await shortly(between(dice, 5, 60))
  }
  for (const socket of sockets.values()) socket.close()
}

/** An Access-Reject may be the answer; whatever grants or acknowledges something may not. */
async function openSocket(ip: string, { book }: Stage): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.on('error', () => {})
  socket.on('message', (datagram) => {
    const decoded = decodePacket(Buffer.from(datagram))
    if ('fault' in decoded || decoded.packet.code === codes.accessReject) return
    book.violate('a forged packet was taken', { ip, code: decoded.packet.code })
  })
  socket.bind(0, ip)
  await once(socket, 'listening')
  return socket
}

const forgeries: readonly Forgery[] = [
  (dice, _, login) => ({ bytes: accessRequest(dice, login, rightSecret), asNas: false }),
  (dice, _, login) => ({ bytes: accessRequest(dice, login, wrongSecret), asNas: true }),
  (dice, nas) => ({ bytes: stopOf(dice, nas, rightSecret), asNas: false }),
  (dice, nas) => ({ bytes: stopOf(dice, nas, wrongSecret), asNas: true }),
  (dice, nas) => ({ bytes: dice.pick(nas.overheard), asNas: false }),
  (dice, nas) => ({ bytes: cut(dice, dice.pick(nas.overheard)), asNas: true }),
  (dice, nas) => ({ bytes: altered(dice, nas.overheard.at(-1)), asNas: true }),
]

const writer = new PacketWriter()

/** With the right password, which only its secret would bring to light. */
function accessRequest(dice: Dice, login: string, secret: SharedSecret): Buffer {
  const authenticator = randomBytes(16)
  writer.begin(codes.accessRequest, dice.below(256), authenticator)
  if (chance(dice, 50)) writer.messageAuthenticator()
  writer.text(attributes.userName, login)
  writer.octets(attributes.userPassword, hidePassword(Buffer.from(linePassword), authenticator, secret))
  writer.finishRequest(secret)
  return writer.copy()
}

/** The end of a session that lives. */
function stopOf(dice: Dice, { live, parts }: ChaosNas, secret: SharedSecret): Buffer | undefined {
  if (live.length === 0) return undefined
  const session = dice.pick(live)
  const counters = { seconds: 1, input: 1n, output: 1n }
  beginAccounting(writer, dice.below(256), { status: 'stop', nasIp: parts.ip, session, counters, cause: 1 })
  writer.finishRequest(secret)
  return writer.copy()
}

/** Half of them say themselves how short they are. */
function cut(dice: Dice, whole: Buffer | undefined): Buffer | undefined {
  if (!whole) return undefined
  const bytes = Buffer.from(whole.subarray(0, between(dice, 1, whole.length - 1)))
  if (bytes.length >= 20 && chance(dice, 50)) bytes.writeUInt16BE(bytes.length, 2)
  return bytes
}

/** One bit of an accounting record is another. */
function altered(dice: Dice, whole: Buffer | undefined): Buffer | undefined {
  if (whole?.[0] !== codes.accountingRequest) return undefined
  const bytes = Buffer.from(whole)
  const at = between(dice, 4, bytes.length - 1)
  bytes[at] = bytes[at]! ^ (1 << dice.below(8))
  return bytes
}
