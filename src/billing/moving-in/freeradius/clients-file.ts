import { SourceFault } from '../tables/tables.ts'
import type { Include } from './users-file.ts'

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

/** Reads all clients. Throws SourceFault with the line that cannot be read. */
export function readClients(file: string, text: string, include: Include, depth = 0): readonly Client[] {
  if (depth > depthMax) throw new SourceFault(`${file} includes itself.`)
  const clients: Client[] = []
  const sections: Section[] = []
  const lines = text.split(/\r?\n/).map(withoutComment)
  for (const [index, line] of lines.entries()) {
    const place = `${file} line ${index + 1}`
    // `client x { secret = y }` may stand in one line.
    for (const part of line.split(/(?<=\{)|(?=\})|(?<=\})/).map((one) => one.trim())) {
      if (part === '') continue
      const [, included] = /^\$INCLUDE\s+(\S+)$/i.exec(part) ?? []
      if (included !== undefined) {
        const inner = include(included)
        clients.push(...readClients(inner.file, inner.text, include, depth + 1))
      } else if (part === '}') {
        const ended = sections.pop()
        if (!ended) throw new SourceFault(`${place}: a brace closes what nothing opened.`)
        if (ended.client) clients.push(clientOf(ended.client, ended.values))
      } else if (part.endsWith('{')) sections.push(sectionOf(part, place))
      else readValue(part, place, sections.at(-1))
    }
  }
  if (sections.length > 0) throw new SourceFault(`${file}: a section is not closed.`)
  return clients
}

function sectionOf(part: string, place: string): Section {
  const [, kind, name = ''] = /^(\S+)\s*(.*?)\s*\{$/.exec(part) ?? []
  const isClient = kind === 'client' && name !== ''
  return { client: isClient ? { name: unquoted(name), place } : null, values: new Map() }
}

function readValue(part: string, place: string, section: Section | undefined): void {
  const [, name, value] = /^([A-Za-z0-9_-]+)\s*=\s*(.*)$/.exec(part) ?? []
  if (name === undefined) throw new SourceFault(`${place}: "${part.split(/\s/)[0]!.slice(0, 40)}" is not understood.`)
  section?.values.set(name.toLowerCase(), unquoted(value!))
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

/** A `#` within quotes is none. */
const withoutComment = (line: string): string => /^(?:[^#"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*/.exec(line)![0]

function unquoted(text: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')$/.exec(text) ?? []
  return (double ?? single)?.replace(/\\(.)/g, '$1') ?? text
}
