import fc from 'fast-check'

const surrogates = 0x800
const firstSurrogate = 0xd800

/**
 * Any character of Unicode, as the unit of `fc.string`: what fast-check calls `binary`, with the same strings for the
 * same seed. That one lists all 1.1 million of them in each process, which takes more than a second of CPU.
 */
export const anyCharacter = fc.nat(0x10_ffff - surrogates).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (point === undefined || String.fromCodePoint(point) !== text || !text.isWellFormed())
      throw new Error('This is not one character.')
    return point < firstSurrogate ? point : point - surrogates
  },
)
