import { type Remark, remark } from '../records.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * To MySQL names that differ in case alone are one, unless its tables or the queries of FreeRADIUS say otherwise. A row
 * that belongs to a user or a group by such a name gets that of the user or the group, so that nobody is moved in
 * without his group and once more without a password. Returns a remark on each user whom radcheck has in several
 * spellings: they may be one or several, and are not put together.
 */
export function unifySpelling(tables: Tables): readonly Remark[] {
  if (!tables.isCaseless) return []
  unify(tables, 'groupname', ['radgroupcheck', 'radgroupreply'], ['radusergroup'])
  const users = unify(tables, 'username', ['radcheck'], ['radreply', 'radusergroup', 'userinfo', 'userbillinfo'])
  return [...users.values()].flatMap(([first, ...others]) =>
    [...others].map((name) =>
      remark(
        `user "${name}"`,
        `differs from "${first}" in case alone and is moved in apart, as logins are told apart here; to MySQL both are usually one user`,
      ),
    ),
  )
}

/** Returns the spellings that the tables of `from` have, by the name in small letters. */
function unify(
  tables: Tables,
  column: string,
  from: readonly string[],
  others: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const spellings = new Map<string, string[]>()
  for (const row of from.flatMap((table) => tables.rows(table))) {
    const name = row[column]
    if (!name) continue
    const known = spellings.get(name.toLowerCase())
    if (!known) spellings.set(name.toLowerCase(), [name])
    else if (!known.includes(name)) known.push(name)
  }
  for (const table of others)
    tables.change(table, (row) => {
      const found = spellings.get(row[column]?.toLowerCase() ?? '')
      return found?.length === 1 ? { ...row, [column]: found[0]! } : row
    })
  return spellings
}
