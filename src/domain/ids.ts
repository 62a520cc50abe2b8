/** Row identifiers are positive integers below 2^53; the brands keep an account from being taken for a subscriber. */
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
 * The organization of whatever has no folder to take one from (specification section 1 rule 5). A migration brings it.
 */
export const defaultOrganization = organizationId(1)

/** An id written with nothing around it, as a program writes it. Null: it cannot be one. */
export const parseId = (text: string): number | null => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null)

/** An id in an address, a form or a JSON body; spaces around it do not matter. Null: it cannot be one. */
export const readId = (value: unknown): number | null =>
  typeof value === 'number' || typeof value === 'string' ? parseId(String(value).trim()) : null

/**
 * An id of a table with negative ones: services that the specification fixes, restored sessions. Null: it cannot be
 * one.
 */
export function readSignedId(value: unknown): number | null {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  return /^-?\d{1,15}$/.test(text) && Number(text) !== 0 ? Number(text) : null
}
