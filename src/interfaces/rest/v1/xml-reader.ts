/** What XML of a body comes to: texts, and lists and objects of them. Types are the reader's of the fields. */
export type XmlValue = string | null | XmlValue[] | { [name: string]: XmlValue }

export type ReadXml = { kind: 'read'; value: XmlValue } | { kind: 'refused'; detail: string }

const depthMax = 16
const elementsMax = 10_000

type Open = {
  name: string
  key: string
  isNil: boolean
  text: string
  children: [key: string, value: XmlValue][]
  isList: boolean
}

/**
 * Elements, attributes, texts, CDATA, comments and the declaration; nothing else of XML. A document type, and with it every
 * entity but the five, is refused, so nothing can be expanded or fetched. The name of the root does not matter.
 */
export function readXml(body: Buffer): ReadXml {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return refused('the body is not UTF-8')
  }
  const open: Open[] = []
  let root: XmlValue | undefined
  let elements = 0
  let at = 0
  tokens.lastIndex = 0
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    if (match.index !== at) break
    at = tokens.lastIndex
    const { comment, declaration, encoding, cdata, closing, opening, attributes, empty, words } = match.groups!
    const here = open.at(-1)
    if (comment !== undefined) continue
    if (declaration !== undefined) {
      if (match.index !== 0) return refused('a declaration is not at the beginning')
      if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) return refused('the encoding is not UTF-8')
    } else if (cdata !== undefined || words !== undefined) {
      const said = cdata ?? unescaped(words!)
      if (said === null) return refused('an unknown entity')
      if (here) here.text += said
      else if (said.trim() !== '') return refused('a text outside of the root')
    } else if (closing !== undefined) {
      if (!here || here.name !== closing) return refused(`</${closing.slice(0, 50)}> closes nothing`)
      open.pop()
      const value = closed(here)
      if (open.length > 0) open.at(-1)!.children.push([here.key, value])
      else root = value
    } else if (opening !== undefined) {
      if (root !== undefined) return refused('more than one root')
      if (++elements > elementsMax || open.length >= depthMax) return refused('too many elements')
      const named = attributesOf(attributes ?? '')
      if (!named) return refused('a wrong attribute')
      const key = opening === 'item' ? (named.get('name') ?? '') : opening
      if (here && opening === 'item' && !named.has('name')) here.isList = true
      const begun: Open = {
        name: opening,
        key,
        isNil: named.get('nil') === 'true',
        text: '',
        children: [],
        isList: false,
      }
      if (empty !== '/') open.push(begun)
      else if (here) here.children.push([key, closed(begun)])
      else root = closed(begun)
    }
  }
  if (at !== text.length) return refused(`not understood at ${at}`)
  return open.length > 0 || root === undefined ? refused('an element is not closed') : { kind: 'read', value: root }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const refused = (fault: string): ReadXml => ({ kind: 'refused', detail: `XML parse error - ${fault}` })

/** One token after the other; every alternative begins with another sign, so nothing is tried twice. */
const tokens = new RegExp(
  [
    '<!--(?<comment>(?:[^-]|-(?!-))*)-->',
    '<\\?xml\\s(?<declaration>[^?>]*?(?:encoding=["\'](?<encoding>[\\w-]{1,20})["\'][^?>]*)?)\\?>',
    '<!\\[CDATA\\[(?<cdata>(?:[^\\]]|\\](?!\\]>))*)\\]\\]>',
    '</(?<closing>[A-Za-z_][\\w.-]{0,99})\\s*>',
    '<(?<opening>[A-Za-z_][\\w.-]{0,99})(?<attributes>(?:\\s+[\\w:.-]{1,99}\\s*=\\s*(?:"[^"<]*"|\'[^\'<]*\'))*)\\s*(?<empty>/?)>',
    '(?<words>[^<]+)',
  ].join('|'),
  'y',
)

function closed({ isNil, text, children, isList }: Open): XmlValue {
  if (isNil) return null
  if (children.length === 0) return text
  if (isList) return children.map(([, value]) => value)
  return Object.fromEntries(children.filter(([key]) => key !== '__proto__'))
}

function attributesOf(text: string): Map<string, string> | null {
  const found = new Map<string, string>()
  for (const [, name, double, single] of text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    const value = unescaped(double ?? single ?? '')
    if (value === null || found.has(name!)) return null
    found.set(name!, value)
  }
  return found
}

const known: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Null for an entity that is none of the five and no number of a sign. */
function unescaped(text: string): string | null {
  let isRight = true
  const plain = text.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|\w{1,20})?;?/gi, (whole, name: string | undefined) => {
    const sign = name === undefined || !whole.endsWith(';') ? undefined : signOf(name)
    if (sign === undefined) isRight = false
    return sign ?? ''
  })
  return isRight ? plain : null
}

function signOf(name: string): string | undefined {
  if (!name.startsWith('#')) return Object.hasOwn(known, name) ? known[name] : undefined
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  const isSign = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isSign ? String.fromCodePoint(code) : undefined
}
