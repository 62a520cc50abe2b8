import type { ClientBase } from 'pg'

/** The result of looking up a name. */
export type NameLookup = { readonly kind: 'found'; readonly id: string } | { readonly kind: 'unknown' | 'ambiguous' }

/** Finds rows by name, or by id if no row has that name. A name that several rows share is ambiguous. */
export class Names {
  readonly #ids = new Map<string, string | null>()
  readonly #byName = new Map<string, string | null>()

  add(id: string, ...names: readonly string[]): void {
    this.#ids.set(id, id)
    for (const name of new Set(names)) this.#byName.set(name, this.#byName.has(name) ? null : id)
  }

  find(text: string): NameLookup {
    const found = this.#byName.has(text) ? this.#byName.get(text) : this.#ids.get(text)
    if (found === undefined) return { kind: 'unknown' }
    return found === null ? { kind: 'ambiguous' } : { kind: 'found', id: found }
  }
}

export type Dictionaries = {
  readonly tariffs: Names
  /** By name or by path, such as `Moscow/North`. */
  readonly folders: Names
  readonly organizationOfFolder: ReadonlyMap<string, string>
}

const folderPaths = `WITH RECURSIVE paths AS (
    SELECT id, organization_id, name, trim(name) AS path, 1 AS depth FROM abonent_folders WHERE parent_id IS NULL
    UNION ALL
    SELECT folder.id, folder.organization_id, folder.name, paths.path || '/' || trim(folder.name), depth + 1
    FROM abonent_folders AS folder JOIN paths ON folder.parent_id = paths.id WHERE depth < 50)
  SELECT id, organization_id, trim(name) AS name, path FROM paths ORDER BY id`

/** Loads all tariffs and folders. There are at most some thousands, so they fit into memory. */
export async function loadDictionaries(client: ClientBase): Promise<Dictionaries> {
  const tariffs = new Names()
  const tariffRows = await client.query<{ id: string; name: string }>('SELECT id, trim(name) AS name FROM tarifs')
  for (const { id, name } of tariffRows.rows) tariffs.add(id, name)
  const folders = new Names()
  const organizationOfFolder = new Map<string, string>()
  const folderRows = await client.query<{ id: string; organization_id: string; name: string; path: string }>(
    folderPaths,
  )
  for (const { id, organization_id, name, path } of folderRows.rows) {
    folders.add(id, name, path)
    organizationOfFolder.set(id, organization_id)
  }
  return { tariffs, folders, organizationOfFolder }
}
