import type { Call } from './call.ts'

export type SentFile = { readonly name: string; readonly content: Buffer }

/** No form of ours has so many parts before its file. */
const partsMax = 20
const headBytesMax = 8 * 1024
const boundaryForm = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i
const fileNameForm = /^content-disposition:.*;\s*filename="?([^"\r\n]*)/im

/** The first file of a multipart/form-data body (RFC 7578). Null: there is none, or the body is malformed. */
export function sentFile(call: Pick<Call, 'header' | 'body'>): SentFile | null {
  const { body } = call
  const boundary = boundaryForm.exec(call.header('content-type'))
  const delimiter = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`
  if (!boundary || !body.subarray(0, delimiter.length).equals(Buffer.from(delimiter))) return null
  let at = delimiter.length
  for (let part = 0; part < partsMax; part++) {
    const headEnd = body.subarray(at, at + headBytesMax).indexOf('\r\n\r\n') + at
    if (headEnd < at) return null
    // The line break before the next delimiter belongs to the delimiter. In an empty part it also ends the head.
    const end = body.indexOf(`\r\n${delimiter}`, headEnd + 2)
    if (end < 0) return null
    const name = fileNameForm.exec(body.toString('utf8', at, headEnd))?.[1]
    if (name !== undefined) return { name, content: body.subarray(Math.min(headEnd + 4, end), end) }
    at = end + 2 + delimiter.length
  }
  return null
}
