import {
  decodedSlices,
  readXml as readEvents,
  XmlFault,
  type XmlFaultKind,
  type XmlHandlers,
  type XmlTag,
} from '../../../platform/formats/xml.ts'

/**
 * The value of an XML body: texts, and lists and objects of them. The fields of the model convert the texts to their
 * types.
 */
export type XmlValue = string | null | XmlValue[] | { [name: string]: XmlValue }

export type ReadXml = { kind: 'read'; value: XmlValue } | { kind: 'refused'; detail: string }

const limits = { depthMax: 16, elementsMax: 10_000, tagLengthMax: 8_192, attributesMax: 32 } as const

const faultText: Readonly<Record<XmlFaultKind, string>> = {
  empty: 'the body is empty',
  notInEncoding: 'the body is not ',
  forbiddenCharacter: 'a character that XML does not allow',
  notWellFormed: '',
  documentType: 'a document type is not allowed',
  declaration: 'a declaration is not allowed',
  severalRoots: 'more than one root',
  tooManyElements: 'too many elements',
  tooManyAttributes: 'too many attributes',
}

/**
 * Reads an XML body. Only elements, attributes, text, CDATA, comments and the XML declaration are allowed. The name of
 * the root element is ignored. A refusal carries a sentence.
 */
export async function readXml(body: Buffer): Promise<ReadXml> {
  const reader = new BodyReader()
  try {
    await readEvents(decodedSlices(body, utf8()), limits, reader, { namespaces: false })
  } catch (error) {
    if (error instanceof BodyFault) return refused(error.message)
    if (error instanceof XmlFault) return refused(faultText[error.kind] + error.message)
    throw error
  }
  return reader.root === undefined ? refused('there is no element') : { kind: 'read', value: reader.root }
}

const utf8 = () => new TextDecoder('utf-8', { fatal: true })
const refused = (reason: string): ReadXml => ({ kind: 'refused', detail: `XML parse error - ${reason}` })

class BodyFault extends Error {}

type Open = {
  readonly key: string
  readonly isNil: boolean
  readonly children: [key: string, value: XmlValue][]
  text: string
  isList: boolean
}

const elementName = /^[A-Za-z_][\w.-]{0,99}$/

class BodyReader implements XmlHandlers {
  root: XmlValue | undefined
  readonly #open: Open[] = []

  open({ local, attributes }: XmlTag): void {
    if (!elementName.test(local)) throw new BodyFault(`${local.slice(0, 50)} cannot be the name of a field`)
    const named = new Map(attributes.map((attribute) => [attribute.local, attribute.value]))
    const parent = this.#open.at(-1)
    if (parent && local === 'item' && !named.has('name')) parent.isList = true
    const key = local === 'item' ? (named.get('name') ?? '') : local
    this.#open.push({ key, isNil: named.get('nil') === 'true', children: [], text: '', isList: false })
  }

  close(): void {
    const element = this.#open.pop()!
    const parent = this.#open.at(-1)
    if (parent) parent.children.push([element.key, contentOf(element)])
    else this.root = contentOf(element)
  }

  text(text: string): void {
    const element = this.#open.at(-1)
    if (element) element.text += text
  }

  instruction(name: string, body: string): void {
    if (name !== 'xml' || this.root !== undefined || this.#open.length > 0)
      throw new BodyFault('an instruction is not allowed')
    const encoding = /encoding\s*=\s*["']([\w-]*)["']/.exec(body)?.[1] ?? 'utf-8'
    if (!/^utf-?8$/i.test(encoding)) throw new BodyFault('the encoding is not UTF-8')
  }
}

function contentOf({ isNil, text, children, isList }: Open): XmlValue {
  if (isNil) return null
  if (children.length === 0) return text
  if (isList) return children.map(([, value]) => value)
  return Object.fromEntries(children.filter(([key]) => key !== '__proto__'))
}
