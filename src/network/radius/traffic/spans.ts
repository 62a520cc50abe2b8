import { NumberReader, NumberWriter } from './numbers.ts'

/**
 * What a login received (`input`) and sent (`output`) between two reports of a session, in seconds since 1970: as
 * evenly as whole octets can be. A span without length is one moment. The names are those of RADIUS, as the NAS counts:
 * `input` is what the client sent. Counts are below 2^53.
 */
export type Span = {
  /** The number of the login in its block. */
  readonly place: number
  readonly from: number
  readonly to: number
  readonly input: number
  readonly output: number
}

/** How many logins, whose ids follow each other, make a block. */
const blockBits = 5
export const blockLogins = 2 ** blockBits

export const blockOf = (loginId: number): number => Math.floor(loginId / blockLogins)
export const placeOf = (loginId: number): number => loginId % blockLogins
export const loginAt = (block: number, place: number): number => block * blockLogins + place

/** How much of `total` in from..to falls before `at`. Parts that are made so always add up to the whole span. */
export const countedUntil = (total: number, from: number, to: number, at: number): number =>
  at >= to ? total : at <= from ? 0 : Math.floor(total * ((at - from) / (to - from)))

/** Calls `each` with the parts of a span between `cuts`, which are in order and within it. */
export function divide(span: Span, cuts: readonly number[], each: (part: Span) => void): void {
  if (cuts.length === 0) {
    each(span)
    return
  }
  const { place, from, to, input, output } = span
  let [begin, inputBefore, outputBefore] = [from, 0, 0]
  for (let at = 0; at <= cuts.length; at++) {
    const end = cuts[at] ?? to
    const [inputUntil, outputUntil] = [countedUntil(input, from, to, end), countedUntil(output, from, to, end)]
    each({ place, from: begin, to: end, input: inputUntil - inputBefore, output: outputUntil - outputBefore })
    ;[begin, inputBefore, outputBefore] = [end, inputUntil, outputUntil]
  }
}

/** Spans are gathered as five numbers each, one after another. */
export const spanNumbers = 5

export function pushSpan(numbers: number[], { place, from, to, input, output }: Span): void {
  numbers.push(place, from, to, input, output)
}

/** Spans of a block, which are those of one row; at least one. */
export function writeSpans(numbers: readonly number[]): Buffer {
  let first = numbers[2]!
  for (let at = spanNumbers; at < numbers.length; at += spanNumbers) first = Math.min(first, numbers[at + 2]!)
  shared.put(first)
  for (let at = 0; at < numbers.length; at += spanNumbers) {
    const [place, from, to] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!]
    shared.put(place)
    shared.put(to - first)
    shared.put(to - from)
    shared.put(numbers[at + 3]!)
    shared.put(numbers[at + 4]!)
  }
  return shared.take()
}

const shared = new NumberWriter()

export function* readSpans(octets: Uint8Array): Generator<Span> {
  const reader = new NumberReader(octets)
  const first = reader.get()
  while (!reader.isAtEnd) {
    const place = reader.get()
    const to = first + reader.get()
    const from = to - reader.get()
    yield { place, from, to, input: reader.get(), output: reader.get() }
  }
}

/** How far the octets of a session have been counted, and until when, in seconds since 1970. */
export type Mark = { readonly id: number; readonly input: bigint; readonly output: bigint; readonly at: number }

/** The marks of a block, which are to come in the order of their ids. */
export function writeMarks(marks: readonly Mark[]): Buffer {
  let before = 0
  for (const { id, input, output, at } of marks) {
    shared.put(id - before)
    shared.putBig(input)
    shared.putBig(output)
    shared.put(at)
    before = id
  }
  return shared.take()
}

export function readMarks(octets: Uint8Array): Map<number, Mark> {
  const marks = new Map<number, Mark>()
  const reader = new NumberReader(octets)
  for (let id = 0; !reader.isAtEnd; ) {
    id += reader.get()
    marks.set(id, { id, input: reader.getBig(), output: reader.getBig(), at: reader.get() })
  }
  return marks
}
