import { growingCache } from '../../platform/growing-cache.ts'
import type { Log } from '../../platform/log.ts'
import type { AttributeKey } from '../radius/wire/attribute-key.ts'
import { firstAddressWord } from '../radius/wire/address.ts'
import { attributes } from '../radius/wire/attribute-types.ts'
import { encodeReplyItem, type ReplyAttribute } from '../radius/wire/dictionary.ts'
import { packSecrets } from '../radius/wire/secret-attributes.ts'

/** Users.radius_reply and Tarif.radius_reply together. */
export type Reply = {
  /** The encoded attributes of the login, and those of its tariff. */
  userReply: Uint8Array
  tariffReply: Uint8Array
  /** The attributes of both that are encrypted for each packet (packSecrets). */
  secretReply: Uint8Array
  /** The attributes that stand in these bytes instead of those of the program. */
  replaced: readonly AttributeKey[]
  /** The Framed-IP-Address as 32 bits, -1 where the NAS or the client is to choose it, null when there is none. */
  ip: number | null
  /** The Session-Timeout in seconds, 0 when there is none; the access may end earlier. */
  sessionSecondsMax: number
}

/** The most octets of one list. A longer one cannot be sent together with the rest of an Access-Accept. */
const replyBytesMax = 2048
/** Most logins have no list of their own, so there are hardly more replies than tariffs. */
const rememberedMax = 1000
const none: Reply = {
  userReply: new Uint8Array(0),
  tariffReply: new Uint8Array(0),
  secretReply: new Uint8Array(0),
  replaced: [],
  ip: null,
  sessionSecondsMax: 0,
}

/** Merges the stored lists of login and tariff. An attribute that cannot be used is logged and left out. */
export class ReplyReader {
  readonly #log: Log
  readonly #remembered = growingCache<string, Reply>(rememberedMax)

  constructor(log: Log) {
    this.#log = log
  }

  /** The lists are JSON; null for an empty one. */
  read(user: string | null, tariff: string | null): Reply {
    if (user === null && tariff === null) return none
    const key = `${user ?? ''}\0${tariff ?? ''}`
    const known = this.#remembered.get(key)
    if (known) return known
    const reply = merge(this.#encode(user), this.#encode(tariff))
    this.#remembered.set(key, reply)
    return reply
  }

  #encode(text: string | null): ReplyAttribute[] {
    const items: ReplyAttribute[] = []
    let length = 0
    for (const item of text === null ? [] : (JSON.parse(text) as Parameters<typeof encodeReplyItem>[0][])) {
      const encoded = encodeReplyItem(item)
      if ('fault' in encoded) {
        this.#log.warn('A reply attribute is left out.', { attribute: item.name, reason: encoded.fault })
      } else if (length + encoded.bytes.length > replyBytesMax) {
        this.#log.warn('A reply attribute is left out: the reply would be too long.', { attribute: item.name })
      } else {
        items.push(encoded)
        length += encoded.bytes.length
      }
    }
    return items.filter((item, index) => this.#isLast(item, items.slice(index + 1)))
  }

  /** A list that an old version stored may have an attribute twice that may occur once; then the last one counts. */
  #isLast(item: ReplyAttribute, later: readonly ReplyAttribute[]): boolean {
    if (item.isRepeatable || later.every(({ key }) => key !== item.key)) return true
    this.#log.warn('A reply attribute is left out: its list has it again.', { attribute: item.name })
    return false
  }
}

/** The list of the login wins over that of its tariff, and both over what the program sends. */
function merge(user: readonly ReplyAttribute[], tariff: readonly ReplyAttribute[]): Reply {
  const ofUser = new Set(keysReplaced(user))
  const inForce = tariff.filter(({ key }) => !ofUser.has(key))
  const all = [...user, ...inForce]
  const address = all.find(({ key }) => key === attributes.framedIpAddress)?.bytes.readUInt32BE(2)
  const timeout = all.find(({ key }) => key === attributes.sessionTimeout)?.bytes.readUInt32BE(2)
  // The program writes these two itself.
  const isWritten = ({ key }: ReplyAttribute) =>
    key === attributes.sessionTimeout ||
    (key === attributes.framedIpAddress && address !== undefined && address < firstAddressWord)
  const bytesOf = (list: readonly ReplyAttribute[]) =>
    Buffer.concat(list.filter((item) => item.encryption === 0 && !isWritten(item)).map(({ bytes }) => bytes))
  return {
    userReply: bytesOf(user),
    tariffReply: bytesOf(inForce),
    secretReply: packSecrets(all.filter(({ encryption }) => encryption !== 0)),
    replaced: [...new Set(keysReplaced(all.filter((item) => !isWritten(item))))],
    ip: address === undefined ? null : address < firstAddressWord ? address : -1,
    sessionSecondsMax: timeout ?? 0,
  }
}

const keysReplaced = (list: readonly ReplyAttribute[]): AttributeKey[] =>
  list.filter(({ replaces }) => replaces).map(({ key }) => key)
