import { hashText } from './slot-index.ts'

/** The numbers of a session, one column each. Ids are doubles because they may exceed 2^31; 0 stands for null. */
export const numberColumns = [
  'id',
  'nasId',
  'userId',
  'subscriberId',
  'organizationId',
  'startedAtMs',
  'receivedAtMs',
  'reportedAtMs',
  'sessionTime',
  'nasPort',
  'garden',
  'node',
  'inputRate',
  'outputRate',
] as const
export type NumberColumn = (typeof numberColumns)[number]

/** The columns by which sessions are searched. They are valid until the next change of the table. */
export type SessionColumnsView = {
  readonly slots: number
  readonly numbers: Readonly<Record<NumberColumn, Float64Array>>
  readonly inputOctets: BigUint64Array
  readonly outputOctets: BigUint64Array
  readonly ips: readonly (string | null)[]
  readonly ipv6Prefixes: readonly (string | null)[]
  readonly macs: readonly (string | null)[]
}

/** Bits a second between the last two records of a session. */
export type SessionRates = { readonly input: number; readonly output: number }

export function columnsOf(length: number): Record<NumberColumn, Float64Array> {
  return Object.fromEntries(numberColumns.map((name) => [name, new Float64Array(length)])) as Record<
    NumberColumn,
    Float64Array
  >
}

export const hashNumber = (value: number): number => Math.imul(value ^ (value / 2 ** 32), 0x9e3779b1) >>> 7

export const hashKey = (nas: number, acctSessionId: string, login: string): number =>
  hashText(login, hashText(acctSessionId, hashNumber(nas)))
