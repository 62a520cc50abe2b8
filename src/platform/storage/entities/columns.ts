import { p } from '@mikro-orm/postgresql'

/** Row identifiers stay below 2^53, so they are numbers. */
export const id = () => p.bigint('number').primary().generated('by default as identity')

/** Rubles x 10^10 as a JavaScript bigint. */
export const money = () => p.bigint()

/** The default lives in the table; `onCreate` keeps a new entity from seeing it as text. */
export const moneyFromZero = () =>
  p
    .bigint()
    .onCreate(() => 0n)
    .defaultRaw('0')

/** A reference to a row of a table that may forget it: deliberately without a foreign key. */
export const looseId = () => p.bigint('number').nullable()

export const createdNow = () => p.datetime().defaultRaw('now()')

export const inet = () => p.type('inet').$type<string>()
export const cidr = () => p.type('cidr').$type<string>()
export const macaddr = () => p.type('macaddr').$type<string>()

/** Attributes that an operator adds to Access-Accept. */
export type RadiusReply = { name: string; value: string }[]
export const radiusReply = () => p.json<RadiusReply>().defaultRaw(`'[]'`)
