import type { ClientBase } from 'pg'

export type Named = { readonly kind: 'found'; readonly id: string } | { readonly kind: 'unknown' | 'ambiguous' }

/** Rows a line may name: by their name, else by their id. A name that several rows have cannot be used. */
export class Names {
  readonly #ids = new Map<string, string | null>()
  readonly #byName = new Map<string, string | null>()

  add(id: string, ...names: readonly string[]): void {
    this.#ids.set(id, id)
    for (const name of new Set(names)) this.#byName.set(name, this.#byName.has(name) ? null : id)
  }

  find(text: string): Named {
    const found = this.#byName.has(text) ? this.#byName.get(text) : this.#ids.get(text)
    if (found === undefined) return { kind: 'unknown' }
    return found === null ? { kind: 'ambiguous' } : { kind: 'found', id: found }
  }
}

export type Dictionaries = {
  readonly tariffs: Names
  /** By name, or by the way to it: `Moscow/North`. */
  readonly folders: Names
  readonly organizationOfFolder: ReadonlyMap<string, string>
}

const folderWays = `WITH RECURSIVE ways AS (
    SELECT id, organization_id, name, trim(name) AS way, 1 AS depth FROM abonent_folders WHERE parent_id IS NULL
    UNION ALL
    SELECT folder.id, folder.organization_id, folder.name, ways.way || '/' || trim(folder.name), depth + 1
    FROM abonent_folders AS folder JOIN ways ON folder.parent_id = ways.id WHERE depth < 50)
  SELECT id, organization_id, trim(name) AS name, way FROM ways ORDER BY id`

/** Tariffs and folders as they are now; there are thousands of them at most. */
export async function loadDictionaries(client: ClientBase): Promise<Dictionaries> {
  const tariffs = new Names()
  const tariffRows = await client.query<{ id: string; name: string }>('SELECT id, trim(name) AS name FROM tarifs')
  for (const { id, name } of tariffRows.rows) tariffs.add(id, name)
  const folders = new Names()
  const organizationOfFolder = new Map<string, string>()
  const folderRows = await client.query<{ id: string; organization_id: string; name: string; way: string }>(folderWays)
  for (const { id, organization_id, name, way } of folderRows.rows) {
    folders.add(id, name, way)
    organizationOfFolder.set(id, organization_id)
  }
  return { tariffs, folders, organizationOfFolder }
}
