import { type Field, fieldNamed, type Model, quoted, valueSql } from './model.ts'

/** Longer paths are not followed: each hop is a join. */
const hopsMax = 3

/** The joins that the paths of one query need; a path that is used twice is joined once. */
export class Joins {
  readonly root = 'this'
  /** Tables in which every row of the root has its row. */
  readonly #certain = new Set<string>(['this'])
  readonly #aliases = new Map<string, string>()
  readonly #clauses: string[] = []

  get sql(): string {
    return this.#clauses.join('')
  }

  through(table: string, way: string, relation: Field, target: Model): string {
    const known = this.#aliases.get(way)
    if (known) return known
    const alias = `related${this.#aliases.size + 1}`
    this.#aliases.set(way, alias)
    // What is always there may be joined from the other side too: a list sorted by it can begin with its index.
    const isCertain = this.#certain.has(table) && relation.kind === 'relation' && !relation.nullable
    if (isCertain) this.#certain.add(alias)
    // Keys are unique, so a join never multiplies rows, and PostgreSQL drops the outer ones that nothing reads.
    this.#clauses.push(
      ` ${isCertain ? '' : 'LEFT '}JOIN ${target.table} AS ${alias} ON ${alias}.${quoted(target.key)} = ${table}.${quoted(relation.column)}`,
    )
    return alias
  }
}

export type Path = { readonly field: Field; readonly sql: string; readonly rest: readonly string[] }

/** Follows `account__ostatok__lt` from the model as far as fields are described; null when not even the first is. */
export function resolvePath(model: Model, path: string, joins: Joins): Path | null {
  const names = path.split('__')
  const hops: Hop[] = []
  let here = model
  let at = 0
  for (;;) {
    const field = fieldNamed(here, names[at]!)
    if (!field) return null
    at++
    const target = field.target?.()
    if (!target || at === names.length || !fieldNamed(target, names[at]!))
      return ending(field, hops, names.slice(at), joins)
    if (hops.length === hopsMax) return null
    hops.push({ field, target })
    here = target
  }
}

type Hop = { field: Field; target: Model }

/** Joins are added only for a path that is really used. */
function ending(field: Field, hops: readonly Hop[], rest: readonly string[], joins: Joins): Path {
  let table = joins.root
  let way = ''
  for (const hop of hops) {
    way += `${hop.field.name}__`
    table = joins.through(table, way, hop.field, hop.target)
  }
  return { field, sql: valueSql(field, table), rest }
}
