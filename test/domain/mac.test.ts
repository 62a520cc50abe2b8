import fc from 'fast-check'
import t from 'tap'
import { normalMac } from '../../src/domain/mac.ts'
import { macSpellings, parseMacText } from '../../src/network/access/station.ts'

t.test('a MAC address has one spelling', async (t) => {
  for (const spelling of [
    'aa:bb:cc:dd:ee:0f',
    'AA:BB:CC:DD:EE:0F',
    'AA-BB-CC-DD-EE-0F',
    'aabb.ccdd.ee0f',
    'aabb-ccdd-ee0f',
    'aabb:ccdd:ee0f',
    'aabbcc-ddee0f',
    'aabbcc:ddee0f',
    'AABBCCDDEE0F',
    'aa.bb.cc.dd.ee.0f',
    'aa bb cc dd ee 0f',
  ]) {
    t.equal(normalMac(spelling), 'aa:bb:cc:dd:ee:0f', spelling)
    t.equal(parseMacText(spelling), 0xaabbccddee0f, spelling)
  }
  for (const other of [
    '',
    'steve',
    'aa:bb:cc:dd:ee',
    'aa:bb:cc:dd:ee:0g',
    'aa:bb-cc:dd-ee:0f',
    'aa:bb:cc:dd:ee:0f:11',
    'aabb.ccdd-ee0f',
    'aabbccddee0f1',
    ' aabbccddee0f',
    'a:bb:cc:dd:ee:0f',
    '٠٠:bb:cc:dd:ee:0f',
    'İabbccddee0f',
  ]) {
    t.equal(normalMac(other), null, other)
    t.equal(parseMacText(other), -1, other)
  }
})

t.test('texts and the bytes of packets are read by the same rules', async () => {
  const near = fc.string({ unit: fc.constantFrom(...'0aF:-. g'), minLength: 11, maxLength: 18 })
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 12, maxLength: 12 })
  const grouped = fc
    .tuple(digits, fc.constantFrom(2, 3, 4, 6), fc.array(fc.constantFrom(...':-. '), { minLength: 1, maxLength: 2 }))
    .map(([text, size, separators]) =>
      text.replace(/.(?!$)/g, (digit, at) => ((at + 1) % size ? digit : digit + separators[at % separators.length])),
    )
  const written = (mac: number) => normalMac(mac.toString(16).padStart(12, '0'))
  fc.assert(
    fc.property(fc.oneof(near, grouped, fc.string()), (text) => {
      const mac = parseMacText(text)
      return normalMac(text) === (mac === -1 ? null : written(mac))
    }),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(fc.nat({ max: 0xffff_ffff }), (mac) =>
      macSpellings(mac).every((text) => parseMacText(text) === mac && normalMac(text) === written(mac)),
    ),
  )
})
