/**
 * Row ids are positive integers below 2^53. The brands keep the id of an account from being passed as that of a
 * subscriber.
 */
declare const of: unique symbol
type Id<Name extends string> = number & { readonly [of]: Name }

export type AccountId = Id<'account'>
export type SubscriberId = Id<'subscriber'>
export type LoginId = Id<'login'>
export type OperationId = Id<'operation'>
export type OrganizationId = Id<'organization'>
export type StaffId = Id<'staff'>
export type NasId = Id<'nas'>

export const accountId = (id: number | string) => Number(id) as AccountId
export const subscriberId = (id: number | string) => Number(id) as SubscriberId
export const loginId = (id: number | string) => Number(id) as LoginId
export const operationId = (id: number | string) => Number(id) as OperationId
export const organizationId = (id: number | string) => Number(id) as OrganizationId
export const staffId = (id: number | string) => Number(id) as StaffId
export const nasId = (id: number | string) => Number(id) as NasId

/**
 * The organization of everything that has no folder to take one from (specification section 1 rule 5). A migration
 * creates it.
 */
export const defaultOrganization = organizationId(1)

/** Reads an id as a program writes it, without spaces around it. Null: the text is not an id. */
export const parseId = (text: string): number | null => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null)

/** Reads an id from an address, a form or a JSON body; surrounding spaces do not matter. Null: it is not an id. */
export const readId = (value: unknown): number | null =>
  typeof value === 'number' || typeof value === 'string' ? parseId(String(value).trim()) : null

/**
 * Reads an id of a table with negative ids: services that the specification fixes, and restored sessions. Null: the
 * value is not an id.
 */
export function readSignedId(value: unknown): number | null {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  return /^-?\d{1,15}$/.test(text) && Number(text) !== 0 ? Number(text) : null
}
