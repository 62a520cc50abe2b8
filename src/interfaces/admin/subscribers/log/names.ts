import type { Client } from '../../../../platform/storage/sql.ts'
import type { Entry } from './entries.ts'

/** Where the name behind an id is found: a table with its key and the column of the name. */
const tables = {
  tarifs: ['id', 'name'],
  uslugas: ['id', 'name'],
  homes: ['id', 'name'],
  abonent_folders: ['id', 'name'],
  organizations: ['id', 'name'],
  ip_pulls: ['id', 'name'],
  switches: ['id', 'name'],
  fin_types: ['type_id', 'op_name'],
  users: ['id', 'login'],
} as const

type NamedTable = keyof typeof tables

/** The fields that hold the id of a row with a name. */
const fields: Readonly<Record<string, NamedTable>> = {
  tarif: 'tarifs',
  next_tarif: 'tarifs',
  usluga_id: 'uslugas',
  home: 'homes',
  parent: 'abonent_folders',
  organization: 'organizations',
  pool: 'ip_pulls',
  switch: 'switches',
  op_type: 'fin_types',
}

/** The name of what a field names by its id; null: it names nothing, or what is gone. */
type NameOf = (field: string, value: unknown) => string | null

export type Names = {
  readonly ofField: NameOf
  /** What people call the object of an entry. */
  readonly ofObject: (entry: Entry) => string | null
}

/** Looks up all names that a page of the log needs, with one query for each table. */
export async function readNames(client: Client, entries: readonly Entry[]): Promise<Names> {
  const wanted = new Map<NamedTable, Set<number>>()
  const want = (table: NamedTable | undefined, value: unknown) => {
    const id = Number(value)
    if (table === undefined || value === null || !Number.isSafeInteger(id)) return
    wanted.set(table, (wanted.get(table) ?? new Set()).add(id))
  }
  for (const entry of entries) {
    if (entry.table_name === 'USERS') want('users', entry.object_id)
    for (const [name, value] of Object.entries(entry.diff ?? {}))
      for (const one of [value].flat()) want(fields[name], one)
  }
  const found = new Map<string, string>()
  for (const [table, ids] of wanted) {
    const [key, name] = tables[table]
    const text = `SELECT ${key} AS id, ${name} AS name FROM ${table} WHERE ${key} = ANY($1::int8[])`
    const { rows } = await client.query<{ id: string; name: string }>(text, [[...ids]])
    for (const row of rows) found.set(`${table} ${row.id}`, row.name)
  }
  const services = await servicesOf(client, entries)
  const ofField: NameOf = (field, value) => found.get(`${fields[field]} ${value}`) ?? null
  return {
    ofField,
    ofObject: (entry) => {
      const { table_name: table, object_id: id } = entry
      if (table === 'USERS') return found.get(`users ${id}`) ?? textIn(entry, 'login')
      if (table !== 'USERS_USLUGA') return null
      return (
        services.get(id) ??
        ofField(
          'usluga_id',
          [entry.diff?.usluga_id].flat().findLast((one) => one != null),
        )
      )
    },
  }
}

/** Of an entry about something that is gone, what the entry itself says. */
function textIn({ diff }: Entry, field: string): string | null {
  const said = [diff?.[field]].flat().find((one) => typeof one === 'string')
  return typeof said === 'string' ? said : null
}

/** The names of services by their rows of users_uslugas. */
async function servicesOf(client: Client, entries: readonly Entry[]): Promise<ReadonlyMap<string, string>> {
  const links = entries.filter(({ table_name }) => table_name === 'USERS_USLUGA').map(({ object_id }) => object_id)
  if (links.length === 0) return new Map()
  const { rows } = await client.query<{ id: string; name: string }>(
    `SELECT link.id, uslugas.name FROM users_uslugas AS link JOIN uslugas ON uslugas.id = link.usluga_id
      WHERE link.id = ANY($1::int8[])`,
    [links],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
