import { RealmList } from '../../domain/realms.ts'

/** How User-Names lead to logins, by the settings RADIUS_REALMS and RADIUS_LOGIN_CASE and the record of the NAS. */
export type NameRules = { readonly realms: RealmList; readonly ignoresCase: boolean }

/** The rules of the settings, which hold at every NAS that has no realms of its own. */
export const nameRulesOf = (settings: {
  readonly realms: string
  readonly loginCase: 'exact' | 'ignore'
}): NameRules => ({
  realms: RealmList.parse(settings.realms) ?? RealmList.none,
  ignoresCase: settings.loginCase === 'ignore',
})

/** The rules at a NAS; `own`: its own realms, null where it has none. */
export const nameRulesAt = (own: RealmList | null, { realms, ignoresCase }: NameRules): NameRules => ({
  realms: own ?? realms,
  ignoresCase,
})

/** A name is a login as it is spelled. */
export const exactNames: NameRules = { realms: RealmList.none, ignoresCase: false }

/** `several`: logins that differ only in case, between which nothing decides. */
export type NameMatch = 'one' | 'none' | 'several'

/** A table of logins by name. The names are name[from..to). */
export type LoginLookup = {
  findLogin(name: Uint8Array, from: number, to: number): boolean
  findLoginAnyCase(name: Uint8Array, from: number, to: number): NameMatch
}

/**
 * Finds the login that a User-Name means: the one that is stored as sent, or else the one without its realm, each first
 * as it is spelled and then, when case is ignored, by the only login that differs in case. A refused realm is refused
 * even when a login of that whole name is stored. Signing in and accounting both ask here, so they agree.
 */
export function findByName(
  lookup: LoginLookup,
  name: Uint8Array,
  from: number,
  to: number,
  rules: NameRules,
): 'found' | 'unknown' | 'refusedRealm' {
  const { realms } = rules
  if (realms.refuses && findRealm(name, from, to, realms) === 'refused') return 'refusedRealm'
  const whole = find(lookup, name, from, to, rules)
  if (whole === 'one') return 'found'
  if (whole === 'several' || realms.isEmpty || findRealm(name, from, to, realms) !== 'stripped') return 'unknown'
  return find(lookup, name, bare.from, bare.to, rules) === 'one' ? 'found' : 'unknown'
}

function find(lookup: LoginLookup, name: Uint8Array, from: number, to: number, { ignoresCase }: NameRules): NameMatch {
  if (lookup.findLogin(name, from, to)) return 'one'
  return ignoresCase ? lookup.findLoginAnyCase(name, from, to) : 'none'
}

const [at, backslash, slash] = [0x40, 0x5c, 0x2f]

/** The name without the realm that findRealm has found. */
const bare = { from: 0, to: 0 }

/** Looks for `user@realm`, `realm\user` and `realm/user`; the first whose realm is in the list counts. */
function findRealm(name: Uint8Array, from: number, to: number, realms: RealmList) {
  for (let end = to - 1; end > from; end--) {
    if (name[end] !== at) continue
    bare.from = from
    bare.to = end
    const use = realms.useOf(name, end + 1, to)
    if (use !== null) return use
    break
  }
  return findRealmBefore(backslash, name, from, to, realms) ?? findRealmBefore(slash, name, from, to, realms)
}

function findRealmBefore(separator: number, name: Uint8Array, from: number, to: number, realms: RealmList) {
  for (let end = from; end < to - 1; end++) {
    if (name[end] !== separator) continue
    bare.from = end + 1
    bare.to = to
    return realms.useOf(name, from, end)
  }
  return null
}
