/** The columns a file may have (contract section 2), in the order in which the help names them. */
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

/** The position of each column in a line. -1: the file has no such column. */
export type Columns = { readonly count: number; readonly at: Readonly<Record<ColumnName, number>> }

/** Far more than a file of subscribers has; its header is read in one turn of the loop. */
export const columnsMax = 500
/** So many wrong names are told. */
const namedMax = 10

const required = ['contract_number', 'name'] as const satisfies readonly ColumnName[]

export const tooManyColumns = { refusal: `The file has more than ${columnsMax} columns.` } as const

/**
 * Reads the header. `refusal`: a sentence about why it cannot be used. `chosen` says in place of the header what each
 * column of the file is; an empty name leaves the column out.
 */
export function readHeader(
  fields: readonly string[],
  chosen: readonly (ColumnName | '')[] | null = null,
): { columns: Columns } | { refusal: string } {
  if (fields.length > columnsMax) return tooManyColumns
  if (chosen && chosen.length !== fields.length)
    return { refusal: `The file has ${fields.length} columns, and ${chosen.length} were named.` }
  const names = (chosen ?? fields).map((field) => field.trim().toLowerCase())
  return readNames(names, chosen ? names.filter((name) => name !== '') : names)
}

function readNames(names: readonly string[], used: readonly string[]): { columns: Columns } | { refusal: string } {
  const unknown = used.filter((name) => !columnNames.some((known) => known === name))
  if (unknown.length > 0)
    return {
      refusal: `The header has ${unknown.slice(0, namedMax).map(named).join(', ')}. The columns are ${columnNames.join(', ')}.`,
    }
  const repeated = used.find((name, index) => used.indexOf(name) !== index)
  if (repeated !== undefined) return { refusal: `The header has the column ${repeated} twice.` }
  const missing = required.filter((name) => !names.includes(name))
  if (missing.length > 0)
    return { refusal: `The header lacks ${missing.join(' and ')}. The columns are ${columnNames.join(', ')}.` }
  // The cast is safe because every name has an entry.
  const at = Object.fromEntries(columnNames.map((name) => [name, names.indexOf(name)])) as Record<ColumnName, number>
  return { columns: { count: names.length, at } }
}

const named = (name: string) => (name === '' ? 'a column without a name' : `"${name.slice(0, 40)}"`)
