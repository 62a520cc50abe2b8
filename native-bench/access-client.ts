import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { attributes } from '../src/network/radius/wire/attribute-types.ts'
import { codes } from '../src/network/radius/wire/packet.ts'
import { hidePassword } from '../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../src/network/radius/wire/writer.ts'

/**
 * A NAS that asks for access and waits for each answer, many questions at once. An answer that was lost is waited for
 * in vain.
 */
export class AccessClient {
  readonly #socket: Socket
  readonly #port: number
  readonly #secret: SharedSecret
  readonly #writer = new PacketWriter()
  readonly #waiting = new Map<number, (isAccepted: boolean) => void>()
  #identifier = 0

  private constructor(socket: Socket, port: number, secret: string) {
    this.#socket = socket
    this.#port = port
    this.#secret = new SharedSecret(secret)
    socket.on('message', (answer) => {
      const take = this.#waiting.get(answer[1]!)
      this.#waiting.delete(answer[1]!)
      take?.(answer[0] === codes.accessAccept)
    })
  }

  /** Asks the server on this machine from that address. */
  static async open(port: number, secret: string, address: string): Promise<AccessClient> {
    const socket = createSocket('udp4')
    socket.bind(0, address)
    await once(socket, 'listening')
    return new AccessClient(socket, port, secret)
  }

  /** True: Access-Accept. Null: 256 questions wait already, more than one socket can tell apart. */
  ask(login: string, password: string): Promise<boolean> | null {
    if (this.#waiting.size === 256) return null
    do this.#identifier = (this.#identifier + 1) & 255
    while (this.#waiting.has(this.#identifier))
    const identifier = this.#identifier
    this.#socket.send(accessRequest(this.#writer, this.#secret, identifier, login, password), this.#port, '127.0.0.1')
    return new Promise((resolve) => this.#waiting.set(identifier, resolve))
  }

  close(): void {
    this.#socket.close()
  }
}

/** A PAP Access-Request with Message-Authenticator. */
export function accessRequest(
  writer: PacketWriter,
  secret: SharedSecret,
  identifier: number,
  login: string,
  password: string,
): Buffer {
  const authenticator = randomBytes(16)
  writer.begin(codes.accessRequest, identifier, authenticator)
  writer.messageAuthenticator()
  writer.text(attributes.userName, login)
  writer.octets(attributes.userPassword, hidePassword(Buffer.from(password), authenticator, secret))
  writer.text(attributes.callingStationId, 'bench')
  writer.finishRequest(secret)
  return writer.copy()
}
