/** What a file may say of a subscriber (contract section 2), in the order the help names it. */
export const columnNames = [
  'contract_number',
  'name',
  'login',
  'password',
  'ip',
  'mac',
  'tarif',
  'balance',
  'limit',
  'email',
  'phone',
  'folder',
] as const

export type ColumnName = (typeof columnNames)[number]

/** Where each column stands in a line; -1: the file has no such column. */
export type Columns = { readonly count: number; readonly at: Readonly<Record<ColumnName, number>> }

const required = ['contract_number', 'name'] as const satisfies readonly ColumnName[]

/** Why a header cannot be used, in one sentence. */
export function readHeader(fields: readonly string[]): { columns: Columns } | { refusal: string } {
  const names = fields.map((field) => field.trim().toLowerCase())
  const unknown = names.filter((name) => !columnNames.some((known) => known === name))
  if (unknown.length > 0)
    return { refusal: `The header has ${unknown.map(named).join(', ')}. The columns are ${columnNames.join(', ')}.` }
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) return { refusal: `The header has the column ${repeated} twice.` }
  const missing = required.filter((name) => !names.includes(name))
  if (missing.length > 0)
    return { refusal: `The header lacks ${missing.join(' and ')}. The columns are ${columnNames.join(', ')}.` }
  // Complete by construction: it goes through every name.
  const at = Object.fromEntries(columnNames.map((name) => [name, names.indexOf(name)])) as Record<ColumnName, number>
  return { columns: { count: names.length, at } }
}

const named = (name: string) => (name === '' ? 'a column without a name' : `"${name.slice(0, 40)}"`)
