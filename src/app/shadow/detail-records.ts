import type { WrittenAttribute } from './exchange.ts'

/** A packet as rlm_detail of FreeRADIUS writes it: a line of its own, and an indented line for each attribute. */
export type DetailRecord = { readonly header: string; readonly attributes: readonly WrittenAttribute[] }

/** A line is an attribute of at most 253 octets, each of which may be written as four characters. */
const lineBytesMax = 8_192
const attributesMax = 1_000
const lineFeed = 0x0a

/** The records of a file one after the other; null for one that is not whole, such as a last one without its end. */
export async function* readRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<DetailRecord | null> {
  let open: { header: string; attributes: WrittenAttribute[]; isWhole: boolean } | null = null
  for await (const line of readLines(chunks)) {
    const attribute = line === null ? null : attributeOf(line)
    if (line === '') {
      if (open) yield whole(open)
      open = null
    } else if (line !== null && attribute === null && !/^\s/.test(line)) {
      // The one before has no end: the disk was full, or the server was killed.
      if (open) yield null
      open = { header: line, attributes: [], isWhole: true }
    } else {
      open ??= { header: '', attributes: [], isWhole: false }
      if (attribute === null || open.attributes.length === attributesMax) open.isWhole = false
      else open.attributes.push(attribute)
    }
  }
  if (open) yield null
}

const whole = ({ header, attributes, isWhole }: DetailRecord & { readonly isWhole: boolean }): DetailRecord | null =>
  isWhole && attributes.length > 0 ? { header, attributes } : null

/** Lines without their ends; null for one that is longer than any that FreeRADIUS writes. */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  let held: Buffer = Buffer.alloc(0)
  let isTooLong = false
  for await (const chunk of chunks) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    let at = 0
    for (let end = held.indexOf(lineFeed); end !== -1; end = held.indexOf(lineFeed, at)) {
      yield isTooLong || end - at > lineBytesMax ? null : held.toString('utf8', at, end).trimEnd()
      isTooLong = false
      at = end + 1
    }
    held = held.subarray(at)
    if (held.length <= lineBytesMax) continue
    isTooLong = true
    held = Buffer.alloc(0)
  }
  if (held.length > 0 || isTooLong) yield isTooLong ? null : held.toString('utf8').trimEnd()
}

const attributeForm = /^\s+([A-Za-z0-9][\w.:-]*) [:+]?= (.*)$/

function attributeOf(line: string): WrittenAttribute | null {
  const [, name, value] = attributeForm.exec(line) ?? []
  if (name === undefined || value === undefined) return null
  return { name, value: /^".*"$/.test(value) ? unescaped(value.slice(1, -1)) : value }
}

const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** As fr_prints of FreeRADIUS escapes texts: an octet that is no character of UTF-8 by its three octal digits. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const parts = text.split(/(\\[0-7]{3}|\\.)/s).map((part) => {
    if (!part.startsWith('\\')) return Buffer.from(part)
    if (part.length === 4) return Buffer.from([Number.parseInt(part.slice(1), 8) & 0xff])
    return Buffer.from(letters[part[1]!] ?? part.slice(1))
  })
  return Buffer.concat(parts).toString('utf8')
}
