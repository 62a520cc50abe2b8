import { escapeXml } from '../formats/xml.ts'
import type { Reply } from './call.ts'

export const soapEnvelope = 'http://schemas.xmlsoap.org/soap/envelope/'

const codes: Readonly<Record<number, string>> = {
  400: 'Client.BadRequest',
  403: 'Client.Forbidden',
  404: 'Client.NotFound',
  405: 'Client.MethodNotAllowed',
  413: 'Client.TooLarge',
  503: 'Server.Unavailable',
}

/**
 * The fault code for an HTTP status. A code that begins with Server means that the same message may succeed later (SOAP
 * 1.1 section 4.4.1).
 */
export const faultCodeOf = (status: number): string => codes[status] ?? (status < 500 ? 'Client' : 'Server')

/** A fault of SOAP 1.1 (section 4.4) as Spyne writes it. The HTTP status is 500 by default (section 6.2). */
export const soapFault = (
  code: string,
  sentence: string,
  { status = 500, headers = [] }: Partial<Pick<Reply, 'status' | 'headers'>> = {},
): Reply =>
  soapReply(
    `<soap11env:Fault><faultcode>soap11env:${escapeXml(code)}</faultcode><faultstring>${escapeXml(sentence)}</faultstring>` +
      '<faultactor></faultactor></soap11env:Fault>',
    status,
    headers,
  )

/** An envelope around the content of its body. PHP recognizes a refusal as XML only with the XML declaration. */
export const soapReply = (body: string, status = 200, headers: NonNullable<Reply['headers']> = []): Reply => ({
  status,
  headers,
  contentType: 'text/xml; charset=utf-8',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<soap11env:Envelope xmlns:soap11env="${soapEnvelope}"><soap11env:Body>${body}</soap11env:Body></soap11env:Envelope>`,
})
