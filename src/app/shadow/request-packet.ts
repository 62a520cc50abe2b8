import { randomBytes } from 'node:crypto'
import { attributes, microsoft, vendors } from '../../network/radius/wire/attribute-types.ts'
import { codes, PacketView } from '../../network/radius/wire/packet.ts'
import { hidePassword, passwordBytesMax } from '../../network/radius/wire/passwords.ts'
import { SharedSecret } from '../../network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../network/radius/wire/writer.ts'
import type { WrittenAttribute } from './exchange.ts'

/** A packet that asks the same as a request in a detail file. */
export type RebuiltRequest = {
  readonly packet: PacketView
  /** Whether the file tells what proves the password. */
  readonly isProved: boolean
}

const texts: ReadonlyMap<string, number> = new Map([
  ['User-Name', attributes.userName],
  ['Calling-Station-Id', attributes.callingStationId],
  ['Called-Station-Id', attributes.calledStationId],
  ['NAS-Identifier', attributes.nasIdentifier],
])
const octets: ReadonlyMap<string, number> = new Map([
  ['CHAP-Password', attributes.chapPassword],
  ['CHAP-Challenge', attributes.chapChallenge],
  ['EAP-Message', attributes.eapMessage],
])
const ofMicrosoft: ReadonlyMap<string, number> = new Map([
  ['MS-CHAP-Challenge', microsoft.chapChallenge],
  ['MS-CHAP-Response', microsoft.chapResponse],
  ['MS-CHAP2-Response', microsoft.chap2Response],
])

const writer = new PacketWriter()
export const noSecret = new SharedSecret('')

/**
 * A signed request with what the decision looks at. What the file leaves out stays out: the password, which Debian
 * suppresses, and the challenge of CHAP where it was the Request Authenticator.
 */
export function rebuiltRequest(written: readonly WrittenAttribute[], secret: SharedSecret): RebuiltRequest {
  const authenticator = randomBytes(16)
  writer.begin(codes.accessRequest, 0, authenticator)
  writer.messageAuthenticator()
  const names = new Set<string>()
  for (const { name, value } of written) {
    if (writeAttribute(name, value, authenticator, secret)) names.add(name)
  }
  writer.finishRequest(secret)
  const packet = new PacketView()
  packet.reset(writer.copy())
  const isProved =
    names.has('User-Password') ||
    (names.has('CHAP-Password') && names.has('CHAP-Challenge')) ||
    names.has('MS-CHAP-Response') ||
    names.has('MS-CHAP2-Response')
  return { packet, isProved }
}

function writeAttribute(name: string, value: string, authenticator: Uint8Array, secret: SharedSecret): boolean {
  const text = texts.get(name)
  if (text !== undefined) return writer.text(text, value)
  if (name === 'User-Password') {
    const password = Buffer.from(value)
    if (password.length > passwordBytesMax) return false
    return writer.octets(attributes.userPassword, hidePassword(password, authenticator, secret))
  }
  const type = octets.get(name)
  const microsoftType = ofMicrosoft.get(name)
  if (type === undefined && microsoftType === undefined) return false
  const digits = /^0x((?:[0-9a-f]{2})+)$/i.exec(value)?.[1]
  if (digits === undefined) return false
  const bytes = Buffer.from(digits, 'hex')
  return type === undefined ? writer.vendorOctets(vendors.microsoft, microsoftType!, bytes) : writer.octets(type, bytes)
}
