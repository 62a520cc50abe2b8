import { SourceFault } from '../tables/tables.ts'
import { type Include, quotedValue, unescaped } from './users-file.ts'

/** A `client` section of clients.conf. */
export type Client = {
  readonly place: string
  readonly name: string
  /** As it is written: an address, a network, a name, or `*`. */
  readonly address: string
  readonly secret: string
  readonly shortname: string | null
  readonly type: string | null
}

const depthMax = 10

type Section = {
  /** Of a client; null: another section, or one within a client. */
  readonly client: { readonly name: string; readonly place: string } | null
  readonly values: Map<string, string>
}

/** What may stand in a line, and several of them may: `client x { secret = y }`. */
const blank = /[ \t]*/y
const inclusion = /\$INCLUDE\s+(\S+)/iy
const head = /[^\s{}=]+/y
const brace = /[{}]/g
const assignment = /([A-Za-z0-9_-]+)[ \t]*=[ \t]*/y
/** Quotes, braces and `#` within are nothing but characters. */
const bareValue = /\S+/y

/** Reads all clients. Throws SourceFault with the line that cannot be read. */
export function readClients(file: string, text: string, include: Include, depth = 0): readonly Client[] {
  if (depth > depthMax) throw new SourceFault(`${file} includes itself.`)
  const clients: Client[] = []
  const sections: Section[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const place = `${file} line ${index + 1}`
    for (const part of partsOf(line, place)) {
      if (part.kind === 'inclusion') {
        const inner = include(part.name)
        for (const client of readClients(inner.file, inner.text, include, depth + 1)) clients.push(client)
      } else if (part.kind === 'end') {
        const ended = sections.pop()
        if (!ended) throw new SourceFault(`${place}: a brace closes what nothing opened.`)
        if (ended.client) clients.push(clientOf(ended.client, ended.values))
      } else if (part.kind === 'head') sections.push(sectionOf(part, place))
      else setValue(sections.at(-1), part, place)
    }
  }
  if (sections.length > 0) throw new SourceFault(`${file}: a section is not closed.`)
  return clients
}

type Part =
  | { readonly kind: 'inclusion'; readonly name: string }
  | { readonly kind: 'head'; readonly type: string; readonly name: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'value'; readonly name: string; readonly value: string }

/** As FreeRADIUS reads a line: a comment begins where nothing else does. */
function* partsOf(line: string, place: string): Generator<Part> {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(line)
    if (found) at = pattern.lastIndex
    return found
  }
  for (take(blank); at < line.length && line[at] !== '#'; take(blank)) {
    const included = take(inclusion)
    const named = included ? null : take(assignment)
    if (included) yield { kind: 'inclusion', name: included[1]! }
    else if (named) {
      const quoted = take(quotedValue)
      yield { kind: 'value', name: named[1]!, value: quoted ? unescaped(quoted) : (take(bareValue)?.[0] ?? '') }
    } else if (line[at] === '}') {
      at++
      yield { kind: 'end' }
    } else {
      brace.lastIndex = at
      const open = brace.exec(line)
      const type = open?.[0] === '{' && take(head)?.[0]
      if (!open || !type)
        throw new SourceFault(`${place}: "${line.slice(at).split(/\s/, 1)[0]!.slice(0, 40)}" is not understood.`)
      const name = line.slice(at, open.index).trim()
      at = open.index + 1
      yield { kind: 'head', type, name }
    }
  }
}

function sectionOf({ type, name }: Part & { kind: 'head' }, place: string): Section {
  quotedValue.lastIndex = 0
  const quoted = quotedValue.exec(name)
  const isClient = type === 'client' && name !== ''
  return { client: isClient ? { name: quoted ? unescaped(quoted) : name, place } : null, values: new Map() }
}

function setValue(section: Section | undefined, { name, value }: Part & { kind: 'value' }, place: string): void {
  if (section?.client && value.includes('${'))
    throw new SourceFault(`${place}: ${name} names another setting (\${…}): write its value there.`)
  section?.values.set(name.toLowerCase(), value)
}

function clientOf({ name, place }: NonNullable<Section['client']>, values: ReadonlyMap<string, string>): Client {
  const address = ['ipaddr', 'ipv4addr', 'ipv6addr'].map((one) => values.get(one)).find(Boolean) ?? name
  const bits = values.get('netmask')
  return {
    ...{ place, name, address: bits !== undefined && !address.includes('/') ? `${address}/${bits}` : address },
    secret: values.get('secret') ?? '',
    shortname: values.get('shortname') ?? null,
    type: values.get('nas_type') ?? values.get('nastype') ?? null,
  }
}
