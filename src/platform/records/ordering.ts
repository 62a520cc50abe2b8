import { isFilterable, type Model, quoted } from './model.ts'
import { type Joins, resolvePath } from './paths.ts'

const termsMax = 8

/**
 * `ordering=a,-account__ostatok` as the text of ORDER BY. Names that are not described are left out, as DRF leaves them
 * out; the key comes last so that equal rows keep their places from page to page. PostgreSQL puts nulls last ascending
 * and first descending by itself (contract section 4).
 */
export function readOrdering(model: Model, query: URLSearchParams, joins: Joins): string {
  const terms: string[] = []
  const sorted = new Set<string>()
  for (const name of (query.getAll('ordering').at(-1) ?? '').split(',').slice(0, termsMax)) {
    const trimmed = name.trim()
    const isDescending = trimmed.startsWith('-')
    const path = resolvePath(model, isDescending ? trimmed.slice(1) : trimmed, joins)
    if (!path || path.rest.length > 0 || !isFilterable(path.field) || sorted.has(path.sql)) continue
    sorted.add(path.sql)
    terms.push(isDescending ? `${path.sql} DESC` : path.sql)
  }
  const key = `${joins.root}.${quoted(model.key)}`
  // What comes after the key cannot matter, and a longer list would keep its index from being used.
  return (sorted.has(key) ? terms : [...terms, key]).join(', ')
}
