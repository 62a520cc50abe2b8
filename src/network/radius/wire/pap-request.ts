import { randomBytes } from 'node:crypto'
import { attributes } from './attribute-types.ts'
import { codes } from './packet.ts'
import { hidePassword } from './passwords.ts'
import type { SharedSecret } from './shared-secret.ts'
import type { PacketWriter } from './writer.ts'

/** What a NAS asks about somebody who signs in by PAP. */
export type PapQuestion = { readonly login: string; readonly password: string; readonly station: string }

/** Begins an Access-Request; `finishRequest` of the writer completes it (RFC 2865 section 4.1). */
export function beginPapRequest(
  writer: PacketWriter,
  identifier: number,
  secret: SharedSecret,
  { login, password, station }: PapQuestion,
): void {
  const authenticator = randomBytes(16)
  writer.begin(codes.accessRequest, identifier, authenticator)
  writer.messageAuthenticator()
  writer.text(attributes.userName, login)
  writer.octets(attributes.userPassword, hidePassword(Buffer.from(password), authenticator, secret))
  writer.text(attributes.callingStationId, station)
  writer.integer(attributes.nasPort, 1)
}
