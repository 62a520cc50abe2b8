import sax from 'sax'

/** XML 1.0: one way to escape text and one tokenizer (`sax`) for everything that reads XML of others. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

/** Characters that XML 1.0 section 2.2 does not allow, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const isXmlText = (text: string): boolean => text.search(forbidden) < 0 && text.isWellFormed()

/**
 * For text and attributes between double quotes. A forbidden character becomes `substitute`; a carriage return is
 * escaped, because a reader would make a bare one a line feed.
 */
export const escapeXml = (text: string, substitute = '\ufffd'): string =>
  text
    .toWellFormed()
    .replace(forbidden, substitute)
    .replace(/[&<>"\r]/g, (character) => entities[character]!)

export type XmlFaultKind =
  | 'empty'
  | 'forbiddenCharacter'
  | 'notWellFormed'
  | 'documentType'
  | 'declaration'
  | 'severalRoots'
  | 'tooManyElements'
  | 'tooManyAttributes'

/** Thrown through the tokenizer, which cannot be stopped otherwise. Handlers throw errors of their own the same way. */
export class XmlFault extends Error {
  readonly kind: XmlFaultKind

  /** `reason` is what the tokenizer says about XML that is not well-formed. */
  constructor(kind: XmlFaultKind, reason = '') {
    super(reason)
    this.kind = kind
  }
}

type XmlAttribute = { readonly local: string; readonly uri: string; readonly value: string }

/** Without namespaces `local` is the name as written, and `uri` is empty. */
export type XmlTag = { readonly local: string; readonly uri: string; readonly attributes: readonly XmlAttribute[] }

export type XmlHandlers = {
  readonly open: (tag: XmlTag) => void
  readonly close: () => void
  /** Text and CDATA, in pieces. */
  readonly text: (text: string) => void
  /** The XML declaration is one too. */
  readonly instruction?: (name: string, body: string) => void
}

export type XmlLimits = {
  readonly depthMax: number
  readonly elementsMax: number
  readonly tagLengthMax: number
  readonly attributesMax: number
}

/**
 * Characters given to the tokenizer at once. It compares each attribute with all before, so a long tag must be noticed
 * early.
 */
const pieceLength = 4_096

/** Not between the two halves of a character beyond the first 65536. */
const endOfPiece = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!) ? end + 1 : end

/**
 * Reads a document that somebody else wrote: well-formed, without a document type and so with no entities but the five
 * of XML, and within limits. Throws an XmlFault.
 */
export function readXml(
  text: string,
  limits: XmlLimits,
  handlers: XmlHandlers,
  options: { namespaces: boolean },
): void {
  if (text.trim() === '') throw new XmlFault('empty')
  if (!isXmlText(text)) throw new XmlFault('forbiddenCharacter')
  const parser = new sax.SAXParser(true, { xmlns: options.namespaces })
  let tagFrom: number | null = null
  let [depth, elements] = [0, 0]

  const say = (part: string) => {
    // A numeric entity may have made a character that the text itself did not have.
    if (!isXmlText(part)) throw new XmlFault('forbiddenCharacter')
    handlers.text(part)
  }
  parser.ENTITIES = Object.assign(Object.create(null), { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })
  parser.onerror = (error) => {
    throw new XmlFault('notWellFormed', reasonOf(error))
  }
  parser.ondoctype = () => {
    throw new XmlFault('documentType')
  }
  parser.onsgmldeclaration = () => {
    throw new XmlFault('declaration')
  }
  parser.onopentagstart = () => {
    tagFrom = parser.position
    if (++elements > limits.elementsMax || depth >= limits.depthMax) throw new XmlFault('tooManyElements')
    if (depth++ === 0 && elements > 1) throw new XmlFault('severalRoots')
  }
  parser.onopentag = (tag) => {
    tagFrom = null
    const attributes = Object.entries(tag.attributes).map(([name, value]) =>
      typeof value === 'string' ? { local: name, uri: '', value } : { ...value, uri: textOf(value.uri) },
    )
    if (attributes.length > limits.attributesMax) throw new XmlFault('tooManyAttributes')
    handlers.open(
      'local' in tag
        ? { local: tag.local, uri: textOf(tag.uri), attributes }
        : { local: tag.name, uri: '', attributes },
    )
  }
  parser.onclosetag = () => {
    depth--
    handlers.close()
  }
  parser.ontext = say
  parser.oncdata = say
  parser.onprocessinginstruction = ({ name, body }) => handlers.instruction?.(name, body)
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from + pieceLength)
    parser.write(text.slice(from, to))
    from = to
    if (tagFrom !== null && parser.position - tagFrom > limits.tagLengthMax) throw new XmlFault('tooManyAttributes')
  }
  parser.close()
}

/** A prefix such as `__proto__` makes the tokenizer find something else than a text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What the tokenizer says, and where; it counts lines from 0. */
function reasonOf({ message }: Error): string {
  const [reason = '', line = ''] = message.split('\n')
  const number = Number(/\d+/.exec(line)?.[0] ?? 0) + 1
  return `${reason.slice(0, 200)} (line ${number}).`
}
