import { vendors } from '../attribute-types.ts'
import { adslForum } from './adsl-forum.ts'
import { cisco } from './cisco.ts'
import type { AttributeKind, Dictionary } from './entry.ts'
import { erx } from './erx.ts'
import { huawei } from './huawei.ts'
import { juniper } from './juniper.ts'
import { microsoft } from './microsoft.ts'
import { mikrotik } from './mikrotik.ts'
import { standard } from './standard.ts'
import { wispr } from './wispr.ts'

/** One attribute by its name. `vendor` is null for those of the RFCs. */
export type KnownAttribute = {
  name: string
  type: number
  vendor: number | null
  kind: AttributeKind
  /** Names of integer values in lower case. */
  values: ReadonlyMap<string, number>
}

/**
 * The attributes an operator may name, in one place. Names and numbers are those of the FreeRADIUS dictionaries (CC BY
 * 4.0), so that what is written in manuals and forums can be pasted.
 */
const dictionaries: readonly (readonly [number | null, Dictionary])[] = [
  [null, standard],
  [vendors.mikrotik, mikrotik],
  [vendors.cisco, cisco],
  [vendors.juniper, juniper],
  [vendors.erx, erx],
  [vendors.huawei, huawei],
  [vendors.wispr, wispr],
  [vendors.microsoft, microsoft],
  [vendors.adslForum, adslForum],
]

const byName = new Map<string, KnownAttribute>()
const byNumber = new Map<string, KnownAttribute>()
for (const [vendor, dictionary] of dictionaries) {
  for (const [type, name, kind] of dictionary.attributes) {
    const named = Object.entries(dictionary.values[name] ?? {})
    const values = new Map(named.map(([value, number]) => [value.toLowerCase(), number]))
    const attribute: KnownAttribute = { name, type, vendor, kind, values }
    byName.set(name.toLowerCase(), attribute)
    const key = `${vendor} ${type}`
    if (!byNumber.has(key)) byNumber.set(key, attribute)
  }
}

/** By its name in any case of letters. */
export function findAttribute(name: string): KnownAttribute | null {
  return byName.get(name.toLowerCase()) ?? null
}

/** By its number; the vendor is null for the attributes of the RFCs. For showing packets to people. */
export function attributeOf(type: number, vendor: number | null = null): KnownAttribute | null {
  return byNumber.get(`${vendor} ${type}`) ?? null
}

/** Every name, for completion in a form. */
export function attributeNames(): string[] {
  return Array.from(byName.values(), (attribute) => attribute.name)
}
