import { readFileSync } from 'node:fs'
import { speedMbitMax } from '../speeds.ts'
import { SourceFault } from '../tables/tables.ts'

/** What columns of a CSV file may be mapped to. */
const targets = [
  ...(['contract_number', 'name', 'company', 'email', 'phone', 'address', 'comment', 'tariff', 'balance'] as const),
  ...(['limit', 'blocked', 'promise', 'promise_until', 'login', 'password', 'ip', 'ipv6_prefix'] as const),
  ...(['delegated_ipv6_prefix', 'mac', 'pool', 'simultaneous_use', 'vlan', 'disabled'] as const),
] as const
export type Target = (typeof targets)[number]

export type TariffTerms = { readonly price?: string; readonly down_mbit?: number; readonly up_mbit?: number }

/** Its column `column` names the line of the first file that has the same in `is`; its columns are called `name: …`. */
type OtherFile = { readonly file: string; readonly name: string; readonly column: string; readonly is: string }

/** How a CSV file is read: a JSON file of the operator's. */
export type Mapping = {
  /** By target: a column, or several whose texts are joined by a space. */
  readonly columns: { readonly [target in Target]?: string | readonly string[] }
  /** By target: what words of the file mean here; a word that is not named means itself. */
  readonly values: { readonly [target in Target]?: Readonly<Record<string, string>> }
  /** The attribute of FreeRADIUS that passwords are of, such as NT-Password; left out: Cleartext-Password. */
  readonly passwords: string
  /** Balances are debts there: above zero for what is owed. */
  readonly debts: boolean
  /** Another file whose lines stand beside those of the first, such as services beside customers. */
  readonly with: OtherFile | null
  /** Prices and speeds by the names of tariffs; others must be here already. */
  readonly tariffs: Readonly<Record<string, TariffTerms>>
}

const members = ['columns', 'values', 'passwords', 'debts', 'with', 'tariffs']

/** Throws SourceFault. */
export function readMapping(path: string): Mapping {
  let sent: unknown
  try {
    sent = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new SourceFault(`${path} is no mapping in JSON: ${(error as Error).message}.`)
  }
  if (!isObject(sent)) throw new SourceFault(`${path} is no object.`)
  const unknown = Object.keys(sent).find((name) => !members.includes(name))
  if (unknown !== undefined) throw new SourceFault(`${path} has "${unknown}"; there are ${members.join(', ')}.`)
  const {
    columns,
    values = {},
    passwords = 'Cleartext-Password',
    debts = false,
    with: other = null,
    tariffs = {},
  } = sent
  const fault =
    columnsFault(columns) ??
    valuesFault(values) ??
    tariffsFault(tariffs) ??
    (typeof passwords === 'string' ? null : 'passwords is the name of an attribute') ??
    (other === null || isOther(other) ? null : 'with has file, name, column and is, all of them texts') ??
    (typeof debts === 'boolean' ? null : 'debts is true or false')
  if (fault !== null) throw new SourceFault(`${path}: ${fault}.`)
  // The checks above have made it so.
  return { columns, values, passwords, debts, with: other, tariffs } as Mapping
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isOther = (other: unknown): boolean =>
  isObject(other) && ['file', 'name', 'column', 'is'].every((name) => typeof other[name] === 'string')

const isTarget = (name: string): boolean => targets.some((target) => target === name)

function columnsFault(columns: unknown): string | null {
  if (!isObject(columns)) return 'columns is an object that names the columns'
  const unknown = Object.keys(columns).find((name) => !isTarget(name))
  if (unknown !== undefined) return `columns has "${unknown}"; there are ${targets.join(', ')}`
  if (columns.contract_number === undefined) return 'columns lacks contract_number'
  const wrong = Object.entries(columns).find(([, column]) => ![column].flat().every((name) => typeof name === 'string'))
  return wrong === undefined ? null : `columns.${wrong[0]} is the name of a column, or a list of them`
}

function valuesFault(values: unknown): string | null {
  if (!isObject(values)) return 'values is an object'
  const wrong = Object.entries(values).find(
    ([name, words]) =>
      !(isTarget(name) && isObject(words) && Object.values(words).every((word) => typeof word === 'string')),
  )
  return wrong === undefined ? null : `values.${wrong[0]} gives each word of a target its meaning`
}

function tariffsFault(tariffs: unknown): string | null {
  if (!isObject(tariffs)) return 'tariffs is an object'
  const isTerm = ([name, value]: [string, unknown]) =>
    name === 'price'
      ? typeof value === 'string'
      : ['down_mbit', 'up_mbit'].includes(name) && typeof value === 'number' && value > 0 && value <= speedMbitMax
  const wrong = Object.entries(tariffs).find(([, terms]) => !(isObject(terms) && Object.entries(terms).every(isTerm)))
  return wrong === undefined
    ? null
    : `tariffs["${wrong[0]}"] has a price as a text, down_mbit and up_mbit as numbers above 0`
}
