import type { Route } from './call.ts'

/**
 * Compiled routes. Paths are matched by segments: a literal one takes precedence over `:name`, which precedes a final
 * `*name`.
 */
export type Router = { find(rawPath: string): Found | 'notFound' | 'malformed' }

export type Found = {
  /** The path, percent-decoded and without a trailing slash. */
  readonly path: string
  readonly methods: ReadonlyMap<string, Route>
  readonly params: Readonly<Record<string, string>>
}

type Node = {
  readonly literal: Map<string, Node>
  parameter: Node | null
  rest: Leaf | null
  leaf: Leaf | null
}
type Leaf = { names: readonly string[]; methods: Map<string, Route> }

const noParams: Readonly<Record<string, string>> = Object.freeze({})

/**
 * Compiles the routes. Throws when two of them have the same method and path, so that such a bug shows at the start.
 */
export function compileRoutes(routes: readonly Route[]): Router {
  const root = newNode()
  for (const route of routes) add(root, route)
  return { find: (rawPath) => find(root, rawPath) }
}

const newNode = (): Node => ({ literal: new Map(), parameter: null, rest: null, leaf: null })

function add(root: Node, route: Route): void {
  const names: string[] = []
  let node = root
  let rest = false
  for (const segment of route.path.split('/')) {
    if (segment === '') continue
    if (rest) throw new Error(`${route.path}: nothing may follow a * segment.`)
    if (segment.startsWith('*')) {
      rest = true
      names.push(segment.slice(1))
    } else if (segment.startsWith(':')) {
      names.push(segment.slice(1))
      node.parameter ??= newNode()
      node = node.parameter
    } else {
      const next = node.literal.get(segment) ?? newNode()
      node.literal.set(segment, next)
      node = next
    }
  }
  const leaf = (rest ? node.rest : node.leaf) ?? { names, methods: new Map() }
  if (rest) node.rest = leaf
  else node.leaf = leaf
  if (leaf.names.join() !== names.join()) throw new Error(`${route.path}: its parameters have other names elsewhere.`)
  if (leaf.methods.has(route.method)) throw new Error(`${route.method} ${route.path} has two routes.`)
  leaf.methods.set(route.method, route)
}

/** The methods of a path as an Allow header, for example `GET, HEAD, OPTIONS, POST`. */
export function allowOf(methods: ReadonlyMap<string, Route>): string {
  const allowed = new Set<string>([...methods.keys(), 'OPTIONS'])
  if (methods.has('GET')) allowed.add('HEAD')
  return [...allowed].sort().join(', ')
}

function find(root: Node, rawPath: string): Found | 'notFound' | 'malformed' {
  const segments = rawPath.split('/')
  segments.shift()
  if (segments.at(-1) === '') segments.pop()
  const isEncoded = rawPath.includes('%')
  if (isEncoded) {
    for (let at = 0; at < segments.length; at++) {
      const decoded = decodeSegment(segments[at]!)
      if (decoded === null) return 'malformed'
      segments[at] = decoded
    }
  }
  if (rawPath.includes('.') || isEncoded) {
    if (segments.includes('..') || segments.includes('.')) return 'notFound'
  }
  const values: string[] = []
  const leaf = descend(root, segments, 0, values)
  if (!leaf) return 'notFound'
  let params = noParams
  if (leaf.names.length === 1) params = { [leaf.names[0]!]: values[0]! }
  else if (leaf.names.length > 1) params = Object.fromEntries(leaf.names.map((name, at) => [name, values[at]!]))
  return { path: `/${segments.join('/')}`, methods: leaf.methods, params }
}

function descend(node: Node, segments: readonly string[], at: number, values: string[]): Leaf | null {
  if (at === segments.length) return node.leaf
  const segment = segments[at]!
  const literal = node.literal.get(segment)
  const found = literal && descend(literal, segments, at + 1, values)
  if (found) return found
  if (node.parameter && segment !== '') {
    const depth = values.length
    values.push(segment)
    const leaf = descend(node.parameter, segments, at + 1, values)
    if (leaf) return leaf
    values.length = depth
  }
  if (node.rest) values.push(segments.slice(at).join('/'))
  return node.rest
}

/** Returns null for invalid percent-encoding and for a NUL, which text columns of PostgreSQL cannot hold. */
function decodeSegment(segment: string): string | null {
  try {
    const decoded = decodeURIComponent(segment)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}
