import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TextDecoder } from 'node:util'
import sax from 'sax'

/** XML 1.0: the one function that escapes text, and the one tokenizer (`sax`) for XML that others send. */

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
 * Escapes text for elements and for attributes in double quotes. Characters that XML does not allow become
 * `substitute`. A carriage return is escaped too, because a parser would turn a literal one into a line feed.
 */
export const escapeXml = (text: string, substitute = '\ufffd'): string =>
  text
    .toWellFormed()
    .replace(forbidden, substitute)
    .replace(/[&<>"\r]/g, (character) => entities[character]!)

/** A register answers with up to a megabyte, whose escaping would take a fifth of a second. */
const escapedLength = 32_768

/** As `escapeXml`, for a text of any length: other requests get to run in between. */
export async function escapeLongXml(text: string): Promise<string> {
  let escaped = ''
  for (let at = 0; at < text.length; ) {
    if (at > 0) await nextTurn()
    const end = endOfPiece(text, at + escapedLength)
    escaped += escapeXml(text.slice(at, end))
    at = end
  }
  return escaped
}

/** The end of a piece, moved by one if it would separate a surrogate pair. */
const endOfPiece = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!) ? end + 1 : end

export type XmlFaultKind =
  | 'empty'
  | 'notInEncoding'
  | 'forbiddenCharacter'
  | 'notWellFormed'
  | 'documentType'
  | 'declaration'
  | 'severalRoots'
  | 'tooManyElements'
  | 'tooManyAttributes'

/**
 * Thrown out of the tokenizer, which cannot be stopped in another way. Handlers may throw their own errors likewise.
 */
export class XmlFault extends Error {
  readonly kind: XmlFaultKind

  /** `reason` is the message of the tokenizer about XML that is not well-formed, or the name of the encoding. */
  constructor(kind: XmlFaultKind, reason = '') {
    super(reason)
    this.kind = kind
  }
}

type XmlAttribute = { readonly local: string; readonly uri: string; readonly value: string }

/** When namespaces are off, `local` is the name as written and `uri` is empty. */
export type XmlTag = { readonly local: string; readonly uri: string; readonly attributes: readonly XmlAttribute[] }

export type XmlHandlers = {
  readonly open: (tag: XmlTag) => void
  readonly close: () => void
  /** Called with text and CDATA, possibly in several pieces. */
  readonly text: (text: string) => void
  /** Called for each processing instruction and for the XML declaration. */
  readonly instruction?: (name: string, body: string) => void
}

export type XmlLimits = {
  readonly depthMax: number
  readonly elementsMax: number
  readonly tagLengthMax: number
  readonly attributesMax: number
}

/**
 * How many bytes are read at a time. The tokenizer compares each attribute of a tag with all earlier ones, so a tag
 * that is too long must be noticed before it has been read completely. A slice of entities takes it some milliseconds.
 */
const sliceBytes = 4_096

/**
 * Decodes a document in slices. Between two of them `pause` is awaited with the offset in bytes of the next one; by
 * default other requests get to run, because a megabyte of entities would occupy the main thread for up to a second.
 */
export async function* decodedSlices(
  body: Buffer,
  decoder: TextDecoder,
  pause: (at: number) => Promise<unknown> = () => nextTurn(),
): AsyncGenerator<string> {
  for (let at = 0; at < body.length; at += sliceBytes) {
    if (at > 0) await pause(at)
    yield decoded(body.subarray(at, at + sliceBytes), decoder, at + sliceBytes < body.length)
  }
}

function decoded(bytes: Buffer, decoder: TextDecoder, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw new XmlFault('notInEncoding', `${decoder.encoding}.`)
  }
}

/**
 * Reads an untrusted document and calls the handlers. It must be well-formed, within the limits, and have no document
 * type and therefore no entities besides the five of XML. Rejects with an XmlFault otherwise.
 */
export async function readXml(
  slices: AsyncIterable<string>,
  limits: XmlLimits,
  handlers: XmlHandlers,
  options: { namespaces: boolean },
): Promise<void> {
  const parser = new sax.SAXParser(true, { xmlns: options.namespaces })
  let tagFrom: number | null = null
  let [depth, elements] = [0, 0]

  const addText = (part: string) => {
    // A numeric character reference may stand for a character that the document itself must not contain.
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
  parser.ontext = addText
  parser.oncdata = addText
  parser.onprocessinginstruction = ({ name, body }) => handlers.instruction?.(name, body)
  let isEmpty = true
  for await (const slice of slices) {
    if (!isXmlText(slice)) throw new XmlFault('forbiddenCharacter')
    isEmpty &&= slice.trim() === ''
    parser.write(slice)
    if (tagFrom !== null && parser.position - tagFrom > limits.tagLengthMax) throw new XmlFault('tooManyAttributes')
  }
  if (isEmpty) throw new XmlFault('empty')
  parser.close()
}

/** With a prefix such as `__proto__` the tokenizer looks up something that is not a string. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The message of the tokenizer with its line, which the tokenizer counts from 0 and people from 1. */
function reasonOf({ message }: Error): string {
  const [reason = '', line = ''] = message.split('\n')
  const number = Number(/\d+/.exec(line)?.[0] ?? 0) + 1
  return `${reason.slice(0, 200)} (line ${number}).`
}
