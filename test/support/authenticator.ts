import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Options = { readonly challenge: string; readonly rp?: { readonly id?: string }; readonly rpId?: string }

/** What a test may make an authenticator do wrong. */
type Faults = { readonly origin?: string; readonly rpId?: string; readonly counter?: number; readonly id?: string }

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const flags = { present: 1, verified: 4, attested: 0x40 }

/** A security key with one passkey, after WebAuthn sections 5.8.1, 6.1 and 6.5.1, and the browser before it. */
export class Authenticator {
  readonly id = randomBytes(32).toString('base64url')
  counter = 0
  readonly #origin: string
  readonly #key: KeyObject
  readonly #publicKey: Buffer

  constructor(origin: string) {
    this.#origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#key = privateKey
    // COSE_Key: kty EC2, alg ES256, crv P-256, x, y (RFC 9053 section 7.1.1).
    this.#publicKey = Buffer.concat([
      Buffer.from('a50102032620012158', 'hex'),
      Buffer.from([32]),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
  }

  /** navigator.credentials.create */
  create(options: Options, faults: Faults = {}, statement = Buffer.from([0xa0])) {
    const id = Buffer.from(this.id, 'base64url')
    const authData = Buffer.concat([
      this.#authData(faults.rpId ?? options.rp?.id ?? '', flags.attested, faults),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      this.#publicKey,
    ])
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText(statement.length > 1 ? 'packed' : 'none'),
      cborText('attStmt'),
      statement,
      cborText('authData'),
      Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]),
      authData,
    ])
    return this.#answer(
      {
        clientDataJSON: clientData('webauthn.create', options, faults.origin ?? this.#origin).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['usb', 'telepathy'],
      },
      faults,
    )
  }

  /** navigator.credentials.get */
  get(options: Options, faults: Faults = {}) {
    this.counter++
    const authData = this.#authData(faults.rpId ?? options.rpId ?? '', 0, faults)
    const data = clientData('webauthn.get', options, faults.origin ?? this.#origin)
    const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), this.#key)
    return this.#answer(
      {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
      },
      faults,
    )
  }

  #authData(rpId: string, more: number, { counter = this.counter }: Faults): Buffer {
    const rest = Buffer.alloc(5)
    rest.writeUInt8(flags.present | flags.verified | more, 0)
    rest.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rpId), rest])
  }

  #answer(response: object, { id = this.id }: Faults) {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

const clientData = (type: string, { challenge }: Options, origin: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

/** Of less than 24 bytes. */
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
