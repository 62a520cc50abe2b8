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

/** The code of a refusal that is known by its status only. Server: the same message may do later (SOAP 1.1 section 4.4.1). */
export const faultCodeOf = (status: number): string => codes[status] ?? (status < 500 ? 'Client' : 'Server')

/** SOAP 1.1 section 4.4 in the look of Spyne; HTTP 500 unless said otherwise (section 6.2). */
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

/** An envelope around the content of its body. PHP wants the declaration to believe that a refusal is XML. */
export const soapReply = (body: string, status = 200, headers: NonNullable<Reply['headers']> = []): Reply => ({
  status,
  headers,
  contentType: 'text/xml; charset=utf-8',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<soap11env:Envelope xmlns:soap11env="${soapEnvelope}"><soap11env:Body>${body}</soap11env:Body></soap11env:Envelope>`,
})
