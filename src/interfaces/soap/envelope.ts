import sax from 'sax'
import { soapEnvelope } from '../../platform/http/soap-fault.ts'
import { fault, type SoapFault } from './fault.ts'

/** The first element of a body and the texts of its children: all that a call of these services is. */
export type SoapCall = {
  readonly kind: 'call'
  readonly operation: string
  readonly namespace: string
  /** In their order. Null: nil. A child that has elements of its own is no text. */
  readonly children: readonly SoapChild[]
}

export type SoapChild = {
  readonly name: string
  readonly namespace: string
  readonly value: string | null
  readonly isText: boolean
}

/** Far beyond every envelope that means something, and little enough to be refused at once. */
export const envelopeTerms = { depthMax: 32, elementsMax: 2_000, tagLengthMax: 8_192, attributesMax: 32 } as const

/** Read at once. The tokenizer compares each attribute of an element with all before, so a long tag is noticed before its end. */
const pieceLength = 4_096

const schemaInstance = 'http://www.w3.org/2001/XMLSchema-instance'
const soap12 = 'http://www.w3.org/2003/05/soap-envelope'
const nextActor = 'http://schemas.xmlsoap.org/soap/actor/next'

/** Thrown through the tokenizer, which cannot be stopped otherwise. */
class Stop extends Error {
  readonly fault: SoapFault

  constructor(reason: SoapFault) {
    super(reason.text)
    this.fault = reason
  }
}

const badXml = (text: string) => new Stop(fault('Client.BadXml', text))
const tooManyAttributes = () => badXml('An element has too many or too long attributes.')
const badEnvelope = (text: string) => new Stop(fault('Client.BadEnvelope', text))

/**
 * Reads a message of SOAP 1.1, strictly where it matters: well-formed, no document type and so no entities but the five of XML, no
 * mandatory header. Body elements after the first are not ours (multi-reference values of older encodings) and are left alone.
 */
export function readEnvelope(text: string): SoapCall | SoapFault {
  const reader = new EnvelopeReader()
  try {
    reader.read(text)
    return reader.call()
  } catch (error) {
    if (error instanceof Stop) return error.fault
    throw error
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: signs that XML 1.0 section 2.2 does not allow
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const isXmlText = (text: string): boolean => !forbidden.test(text) && text.isWellFormed()

type Name = { readonly local: string; readonly uri: string }
type OpenChild = { readonly name: Name; readonly isNil: boolean; isText: boolean; text: string }

/** Not between the halves of a sign beyond the first 65536. */
const endOfPiece = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!) ? end + 1 : end

class EnvelopeReader {
  readonly #path: Name[] = []
  readonly #children: SoapChild[] = []
  #elements = 0
  #hasRoot = false
  #bodies = 0
  /** Elements of the body that have begun. */
  #calls = 0
  #operation: Name | null = null
  #child: OpenChild | null = null

  read(text: string): void {
    if (text.trim() === '') throw badXml('The body is empty.')
    if (!isXmlText(text)) throw badXml('The body has characters that XML does not allow.')
    const parser = new sax.SAXParser(true, { xmlns: true })
    parser.ENTITIES = Object.assign(Object.create(null), { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })
    parser.onerror = (error) => {
      throw badXml(`The body is no well-formed XML: ${reasonOf(error)}`)
    }
    parser.ondoctype = () => {
      throw badXml('A document type is not allowed in a SOAP message.')
    }
    parser.onsgmldeclaration = () => {
      throw badXml('A declaration is not allowed in a SOAP message.')
    }
    let tagFrom: number | null = null
    parser.onopentagstart = () => {
      tagFrom = parser.position
      this.#count()
    }
    parser.onopentag = (tag) => {
      tagFrom = null
      this.#open(tag as sax.QualifiedTag)
    }
    parser.onclosetag = () => this.#close()
    parser.ontext = (part) => this.#say(part)
    parser.oncdata = (part) => this.#say(part)
    for (let from = 0; from < text.length; ) {
      const to = endOfPiece(text, from + pieceLength)
      parser.write(text.slice(from, to))
      from = to
      if (tagFrom !== null && parser.position - tagFrom > envelopeTerms.tagLengthMax) throw tooManyAttributes()
    }
    parser.close()
  }

  call(): SoapCall {
    if (this.#bodies === 0) throw badEnvelope('The envelope has no Body.')
    if (!this.#operation) throw badEnvelope('The Body of the envelope is empty.')
    const { local, uri } = this.#operation
    return { kind: 'call', operation: local, namespace: uri, children: this.#children }
  }

  #count(): void {
    if (++this.#elements > envelopeTerms.elementsMax || this.#path.length >= envelopeTerms.depthMax)
      throw badXml('The body has too many or too deep elements.')
  }

  #open(tag: sax.QualifiedTag): void {
    if (attributesOf(tag).length > envelopeTerms.attributesMax) throw tooManyAttributes()
    const name = { local: tag.local, uri: textOf(tag.uri) }
    const [envelope, part, call] = this.#path
    const depth = this.#path.push(name)
    if (!envelope) this.#openEnvelope(name)
    else if (!part) this.#openPart(name)
    else if (isOfEnvelope(part, 'Header')) {
      if (depth === 3) refuseMandatory(tag)
    } else if (!call) {
      if (++this.#calls === 1) this.#operation = name
    } else if (this.#calls === 1) this.#openChild(name, depth, tag)
  }

  #openEnvelope(name: Name): void {
    if (this.#hasRoot) throw badXml('XML has one root.')
    this.#hasRoot = true
    if (name.local !== 'Envelope') throw badEnvelope('The body is no SOAP envelope.')
    if (name.uri === soapEnvelope) return
    const is12 = name.uri === soap12
    throw new Stop(
      fault('VersionMismatch', `The envelope must be one of SOAP 1.1 (${soapEnvelope})${is12 ? ', not 1.2' : ''}.`),
    )
  }

  #openPart(name: Name): void {
    if (isOfEnvelope(name, 'Header') && this.#bodies === 0) return
    if (!isOfEnvelope(name, 'Body')) throw badEnvelope('An envelope has a Header, which may be left out, and a Body.')
    if (++this.#bodies > 1) throw badEnvelope('An envelope has one Body.')
  }

  #openChild(name: Name, depth: number, tag: sax.QualifiedTag): void {
    if (depth > 4) {
      if (this.#child) this.#child.isText = false
      return
    }
    const isNil = attributesOf(tag).some(
      ({ local, uri, value }) => local === 'nil' && uri === schemaInstance && /^\s*(true|1)\s*$/.test(value),
    )
    this.#child = { name, isNil, isText: true, text: '' }
  }

  #say(text: string): void {
    if (!isXmlText(text)) throw badXml('The body has characters that XML does not allow.')
    if (this.#child && this.#path.length === 4) this.#child.text += text
    else if (this.#path.length < 3 && text.trim() !== '') throw badEnvelope('There is text outside of the call.')
  }

  #close(): void {
    const depth = this.#path.length
    this.#path.pop()
    if (depth !== 4 || !this.#child) return
    const { name, isNil, isText, text } = this.#child
    this.#child = null
    this.#children.push({ name: name.local, namespace: name.uri, value: isNil ? null : text, isText })
  }
}

const isOfEnvelope = ({ local, uri }: Name, name: 'Header' | 'Body'): boolean => local === name && uri === soapEnvelope

/** SOAP 1.1 section 4.2.3: who does not know a mandatory header must not do what the body says. */
function refuseMandatory(tag: sax.QualifiedTag): void {
  const said = new Map(
    attributesOf(tag)
      .filter(({ uri }) => uri === soapEnvelope)
      .map(({ local, value }) => [local, value.trim()]),
  )
  const actor = said.get('actor') ?? ''
  if (said.get('mustUnderstand') !== '1' || (actor !== '' && actor !== nextActor)) return
  throw new Stop(fault('MustUnderstand', `The header ${tag.local.slice(0, 100)} is not understood.`))
}

const attributesOf = (tag: sax.QualifiedTag): sax.QualifiedAttribute[] => Object.values(tag.attributes)

/** A prefix such as `__proto__` makes the tokenizer find something else than a text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What the tokenizer says, and where; it counts lines from 0. */
function reasonOf({ message }: Error): string {
  const [reason = '', line = ''] = message.split('\n')
  const number = Number(/\d+/.exec(line)?.[0] ?? 0) + 1
  return `${reason.slice(0, 200)} (line ${number}).`
}
