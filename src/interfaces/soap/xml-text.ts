import { fault, type SoapFault } from './fault.ts'

/**
 * The signs of a body. A byte order mark decides, then the charset of the Content-Type, then the declaration (RFC 7303
 * section 3), else UTF-8: accounting systems of the nineties send windows-1251 and say so in either place.
 */
export function decodeXml(body: Buffer, contentType: string): string | SoapFault {
  const label = markedEncoding(body) ?? charsetOf(contentType) ?? declaredEncoding(body) ?? 'utf-8'
  let text: string
  try {
    text = new TextDecoder(label, { fatal: true }).decode(body)
  } catch (error) {
    const isUnknown = error instanceof RangeError
    const shown = label.slice(0, 40)
    return fault('Client.BadXml', isUnknown ? `The encoding ${shown} is unknown.` : `The body is not ${shown}.`)
  }
  return text
}

function markedEncoding(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : null
}

const charsetOf = (contentType: string): string | null =>
  /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? null

/** The declaration is readable in every encoding that begins like ASCII; the others have their mark. */
function declaredEncoding(body: Buffer): string | null {
  const beginning = body.subarray(0, 200).toString('latin1')
  return /^<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(beginning)?.[1] ?? null
}
