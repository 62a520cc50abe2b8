import { createRequire } from 'node:module'
import { attributes } from '../src/network/radius/wire/attribute-types.ts'
import { verifyMessageAuthenticator } from '../src/network/radius/wire/authenticator.ts'
import { codes, PacketView } from '../src/network/radius/wire/packet.ts'
import { verifyPap } from '../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../src/network/radius/wire/writer.ts'
import { type Figure, microsecondsOf } from './figures.ts'

/** The peer, which has no types of its own. */
type Radius = {
  encode(packet: object): Buffer
  decode(packet: object): { attributes: Record<string, unknown> }
  encode_response(answer: object): Buffer
}
const radius: Radius = createRequire(import.meta.url)('radius')

const secretText = 'testing123'
const password = 'correct horse'

/**
 * A PAP Access-Request with Message-Authenticator, taken apart and answered, by our codec and by the `radius` package.
 */
export function measureCodec(): Figure[] {
  const request = radius.encode({
    code: 'Access-Request',
    secret: secretText,
    identifier: 7,
    add_message_authenticator: true,
    attributes: [
      ['User-Name', 'ivan'],
      ['User-Password', password],
      ['NAS-Port', 17],
      ['Calling-Station-Id', 'AA-BB-CC-DD-EE-FF'],
    ],
  })
  const secret = new SharedSecret(secretText)
  const view = new PacketView()
  const writer = new PacketWriter()
  const ours = microsecondsOf(() => {
    view.reset(request)
    if (verifyMessageAuthenticator(view, secret) !== 'right' || !verifyPap(view, secret, password))
      throw new Error('refused')
    writer.begin(codes.accessAccept, view.identifier)
    writer.messageAuthenticator()
    writer.ipv4(attributes.framedIpAddress, 0x0a000005)
    writer.integer(attributes.acctInterimInterval, 300)
    writer.finishResponseTo(view, secret)
  })
  const theirs = microsecondsOf(() => {
    const packet = radius.decode({ packet: request, secret: secretText })
    if (packet.attributes['User-Password'] !== password) throw new Error('refused')
    radius.encode_response({
      packet,
      code: 'Access-Accept',
      secret: secretText,
      add_message_authenticator: true,
      attributes: [
        ['Framed-IP-Address', '10.0.0.5'],
        ['Acct-Interim-Interval', 300],
      ],
    })
  }, 3_000)
  return [{ what: 'PAP request decoded, verified and answered', unit: 'µs', ours, peer: 'npm radius', theirs }]
}
