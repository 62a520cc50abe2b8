/** What becomes of a login name with a realm: looked up without it, only as it stands, or refused. */
export type RealmUse = 'stripped' | 'kept' | 'refused'

type Entry = {
  readonly use: RealmUse
  /** The realm in small letters. For `*.isp.ru` it is the part behind the asterisk, for `*` it is empty. */
  readonly realm: Uint8Array
  readonly isEnding: boolean
}

const uses: Readonly<Record<string, RealmUse>> = { '': 'stripped', '=': 'kept', '!': 'refused' }
const entryPattern = /^([=!]?)(?:(\*)(\.[^\s,;*=!@\\/]+)?|([^\s,;*=!@\\/]+))$/

const textMax = 4_000

/** Completes "It must …". */
export const realmsMust =
  'be realms such as isp.ru, *.isp.ru or * for all, apart by commas; =realm is kept and !realm is refused; 4000 characters at most'

/**
 * A list of realms, such as `isp.ru, *.isp.ru, =corp.ru, !bad.ru`: the first two are stripped from a login name, the
 * third is kept, the last is refused. Of several entries that fit, the most exact one counts. Case does not matter.
 */
export class RealmList {
  static readonly none = new RealmList([])
  /** The most exact first. */
  readonly #entries: readonly Entry[]
  /** Whether any realm is refused. */
  readonly refuses: boolean

  private constructor(entries: readonly Entry[]) {
    this.#entries = entries
    this.refuses = entries.some(({ use }) => use === 'refused')
  }

  /** Null for a text that is no such list, or so long that looking through it would delay sign-ins. */
  static parse(text: string): RealmList | null {
    if (text.length > textMax) return null
    const entries: Entry[] = []
    for (const word of text.split(/[\s,;]+/)) {
      if (word === '') continue
      const match = entryPattern.exec(word)
      if (!match) return null
      const [, sign = '', star, ending = '', whole = ending] = match
      const realm = Uint8Array.from(Buffer.from(whole), smallLetter)
      entries.push({ use: uses[sign]!, realm, isEnding: star !== undefined })
    }
    if (entries.length === 0) return RealmList.none
    const exactness = ({ isEnding, realm }: Entry) => (isEnding ? realm.length : Number.POSITIVE_INFINITY)
    return new RealmList(entries.toSorted((a, b) => (exactness(a) < exactness(b) ? 1 : -1)))
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** What the list says of the realm in bytes[from..to); null: it says nothing, or there is no realm. */
  useOf(bytes: Uint8Array, from: number, to: number): RealmUse | null {
    if (from >= to) return null
    for (const { use, realm, isEnding } of this.#entries) {
      const at = to - realm.length
      if ((isEnding ? at > from || realm.length === 0 : at === from) && equalsLowerCase(bytes, at, realm)) return use
    }
    return null
  }
}

function equalsLowerCase(bytes: Uint8Array, at: number, lowerCase: Uint8Array): boolean {
  for (let index = 0; index < lowerCase.length; index++)
    if (smallLetter(bytes[at + index]!) !== lowerCase[index]) return false
  return true
}

/** The code of the small letter for that of a Latin capital; any other octet as it is. */
export const smallLetter = (octet: number): number => (octet >= 0x41 && octet <= 0x5a ? octet | 0x20 : octet)
