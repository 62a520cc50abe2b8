import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TextDecoder } from 'node:util'
import {
  decodedSlices,
  readXml,
  XmlFault,
  type XmlFaultKind,
  type XmlHandlers,
  type XmlTag,
} from '../../platform/formats/xml.ts'
import { soapEnvelope } from '../../platform/http/soap-fault.ts'
import { fault, type SoapFault } from './fault.ts'

/** A call: the first element of the Body, with the texts of its children. */
export type SoapCall = {
  readonly kind: 'call'
  readonly operation: string
  readonly namespace: string
  /** The children in the order in which they were sent. */
  readonly children: readonly SoapChild[]
}

export type SoapChild = {
  readonly name: string
  readonly namespace: string
  /** Null for a nil element. */
  readonly value: string | null
  /** False when the child has child elements of its own. */
  readonly isText: boolean
}

/** Far more than any valid message needs, and small enough that larger messages are refused quickly. */
const envelopeLimits = { depthMax: 32, elementsMax: 2_000, tagLengthMax: 8_192, attributesMax: 32 } as const

const schemaInstance = 'http://www.w3.org/2001/XMLSchema-instance'
const soap12 = 'http://www.w3.org/2003/05/soap-envelope'
const nextActor = 'http://schemas.xmlsoap.org/soap/actor/next'

/** Thrown out of the tokenizer, which cannot be stopped in another way. */
class EnvelopeFault extends Error {
  readonly fault: SoapFault

  constructor(reason: SoapFault) {
    super(reason.text)
    this.fault = reason
  }
}

const badEnvelope = (text: string) => new EnvelopeFault(fault('Client.BadEnvelope', text))

const xmlFaultText: Readonly<Record<XmlFaultKind, string>> = {
  empty: 'The body is empty.',
  notInEncoding: 'The body is not ',
  forbiddenCharacter: 'The body has characters that XML does not allow.',
  notWellFormed: 'The body is no well-formed XML: ',
  documentType: 'A document type is not allowed in a SOAP message.',
  declaration: 'A declaration is not allowed in a SOAP message.',
  severalRoots: 'XML has one root.',
  tooManyElements: 'The body has too many or too deep elements.',
  tooManyAttributes: 'An element has too many or too long attributes.',
}

/** Strangers may send this many bytes. What is larger is a register of payments, and names its caller early. */
export const openBytesMax = 16_384

/**
 * Decides whether a message of more than `openBytesMax` is read on. It gets the call as far as it has been read; null
 * when it has not begun.
 */
export type Admit = (begun: SoapCall | null) => Promise<SoapFault | null>

/**
 * Reads a message of SOAP 1.1. It must be well-formed and have neither a document type, and thus no entities besides
 * the five of XML, nor a mandatory header. Elements of the Body after the first are ignored: they are multi-reference
 * values of older encodings.
 */
export async function readEnvelope(body: Buffer, decoder: TextDecoder, admit: Admit): Promise<SoapCall | SoapFault> {
  const reader = new EnvelopeReader()
  let isAdmitted = false
  const pause = async (at: number) => {
    if (isAdmitted || at < openBytesMax) return nextTurn()
    const refused = await admit(reader.begun())
    if (refused) throw new EnvelopeFault(refused)
    isAdmitted = true
  }
  try {
    await readXml(decodedSlices(body, decoder, pause), envelopeLimits, reader, { namespaces: true })
    return reader.call()
  } catch (error) {
    if (error instanceof EnvelopeFault) return error.fault
    if (error instanceof XmlFault) return fault('Client.BadXml', xmlFaultText[error.kind] + error.message)
    throw error
  }
}

type Name = { readonly local: string; readonly uri: string }
type OpenChild = { readonly name: Name; readonly isNil: boolean; isText: boolean; text: string }

class EnvelopeReader implements XmlHandlers {
  readonly #path: Name[] = []
  readonly #children: SoapChild[] = []
  #bodies = 0
  /** The number of elements of the Body that have begun. */
  #calls = 0
  #operation: Name | null = null
  #child: OpenChild | null = null

  call(): SoapCall {
    if (this.#bodies === 0) throw badEnvelope('The envelope has no Body.')
    const call = this.begun()
    if (!call) throw badEnvelope('The Body of the envelope is empty.')
    return call
  }

  /** The call with those of its children that have been read; null while it has not begun. */
  begun(): SoapCall | null {
    if (!this.#operation) return null
    const { local, uri } = this.#operation
    return { kind: 'call', operation: local, namespace: uri, children: this.#children }
  }

  open(tag: XmlTag): void {
    const name = { local: tag.local, uri: tag.uri }
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
    if (name.local !== 'Envelope') throw badEnvelope('The body is no SOAP envelope.')
    if (name.uri === soapEnvelope) return
    const is12 = name.uri === soap12
    throw new EnvelopeFault(
      fault('VersionMismatch', `The envelope must be one of SOAP 1.1 (${soapEnvelope})${is12 ? ', not 1.2' : ''}.`),
    )
  }

  #openPart(name: Name): void {
    if (isOfEnvelope(name, 'Header') && this.#bodies === 0) return
    if (!isOfEnvelope(name, 'Body')) throw badEnvelope('An envelope has a Header, which may be left out, and a Body.')
    if (++this.#bodies > 1) throw badEnvelope('An envelope has one Body.')
  }

  #openChild(name: Name, depth: number, tag: XmlTag): void {
    if (depth > 4) {
      if (this.#child) this.#child.isText = false
      return
    }
    const isNil = tag.attributes.some(
      ({ local, uri, value }) => local === 'nil' && uri === schemaInstance && /^\s*(true|1)\s*$/.test(value),
    )
    this.#child = { name, isNil, isText: true, text: '' }
  }

  text(text: string): void {
    if (this.#child && this.#path.length === 4) this.#child.text += text
    else if (this.#path.length < 3 && text.trim() !== '') throw badEnvelope('There is text outside of the call.')
  }

  close(): void {
    const depth = this.#path.length
    this.#path.pop()
    if (depth !== 4 || !this.#child) return
    const { name, isNil, isText, text } = this.#child
    this.#child = null
    this.#children.push({ name: name.local, namespace: name.uri, value: isNil ? null : text, isText })
  }
}

const isOfEnvelope = ({ local, uri }: Name, name: 'Header' | 'Body'): boolean => local === name && uri === soapEnvelope

/** Refuses a message with a mandatory header, because no header is understood here (SOAP 1.1 section 4.2.3). */
function refuseMandatory(tag: XmlTag): void {
  const attributes = new Map(
    tag.attributes.filter(({ uri }) => uri === soapEnvelope).map(({ local, value }) => [local, value.trim()]),
  )
  const actor = attributes.get('actor') ?? ''
  if (attributes.get('mustUnderstand') !== '1' || (actor !== '' && actor !== nextActor)) return
  throw new EnvelopeFault(fault('MustUnderstand', `The header ${tag.local.slice(0, 100)} is not understood.`))
}
