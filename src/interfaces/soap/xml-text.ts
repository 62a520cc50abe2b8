import { TextDecoder } from 'node:util'
import { fault, type SoapFault } from './fault.ts'

/**
 * The decoder of a body. The encoding is that of the byte order mark, else of the Content-Type, else of the XML
 * declaration (RFC 7303 section 3), else UTF-8. Old accounting systems send windows-1251 and declare it in either
 * place.
 */
export function decoderOf(body: Buffer, contentType: string): TextDecoder | SoapFault {
  const label = markedEncoding(body) ?? charsetOf(contentType) ?? declaredEncoding(body) ?? 'utf-8'
  try {
    return new TextDecoder(label, { fatal: true })
  } catch {
    return fault('Client.BadXml', `The encoding ${label.slice(0, 40)} is unknown.`)
  }
}

function markedEncoding(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : null
}

const charsetOf = (contentType: string): string | null =>
  /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? null

/**
 * The encoding in the XML declaration. It is readable in every encoding compatible with ASCII; the others have a mark.
 */
function declaredEncoding(body: Buffer): string | null {
  const beginning = body.subarray(0, 200).toString('latin1')
  return /^<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(beginning)?.[1] ?? null
}
