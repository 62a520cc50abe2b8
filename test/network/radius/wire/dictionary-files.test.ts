import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import {
  addDictionaries,
  encodeReplyAttributes,
  findAttribute,
} from '../../../../src/network/radius/wire/dictionary.ts'
import { encodeReplyAttribute } from '../../../support/attributes.ts'
import { readDictionaries } from '../../../../src/network/radius/wire/dictionary/folder.ts'
import { knownAttributes } from '../../../../src/network/radius/wire/dictionary/known-attributes.ts'
import { DictionaryParser } from '../../../../src/network/radius/wire/dictionary/parser.ts'

const freeradius = '/usr/share/freeradius'

function folderOf(t: Test, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'dictionaries-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const encoded = (name: string, value: string | number): string => {
  const result = encodeReplyAttribute(name, value)
  return 'fault' in result ? `fault: ${result.fault}` : result.toString('hex')
}

t.test('a folder of the operator adds vendors, types and formats', async (t) => {
  const folder = folderOf(t, {
    dictionary: '$INCLUDE more/dictionary.acme\n$INCLUDE- dictionary.absent\n$INCLUDE dictionary.wide',
    'more/dictionary.acme': `# Acme.
VENDOR	Acme	99001
BEGIN-VENDOR	Acme
ATTRIBUTE	Acme-Level	1	byte	# small
ATTRIBUTE	Acme-Port	2	short
ATTRIBUTE	Acme-Total	3	integer64
ATTRIBUTE	Acme-Offset	4	signed
ATTRIBUTE	Acme-Mac	5	ether
ATTRIBUTE	Acme-Net	6	ipv4prefix
ATTRIBUTE	Acme-Host	7	combo-ip
ATTRIBUTE	Acme-Key	0x08	octets[2]
ATTRIBUTE	Acme-Policy	9	tlv
BEGIN-TLV	Acme-Policy
ATTRIBUTE	Acme-Policy-Name	1	string
ATTRIBUTE	Acme-Policy-More	2	tlv
END-TLV	Acme-Policy
ATTRIBUTE	Acme-Policy-Deep	9.2.3	integer
VALUE	Acme-Level	Gold	7
END-VENDOR	Acme
BEGIN-VENDOR	Acme	format=Extended-Vendor-Specific-1
ATTRIBUTE	Acme-Extended	1	string
END-VENDOR	Acme
BEGIN-VENDOR	Acme	parent=Extended-Vendor-Specific-5
ATTRIBUTE	Acme-Long	2	string
END-VENDOR	Acme
VALUE	Service-Type	Acme-Service	77
ATTRIBUTE	Acme-Internal	2000	string
VALUE	Acme-Internal	Any	1`,
    'dictionary.wide': `VENDOR Wide 99002 format=4,0
VENDOR Two 99003 format=2,2
VENDOR Flagged 99004 format=1,1,c
ATTRIBUTE Wide-Name 0x9800 string Wide
ATTRIBUTE Two-Name 258 string Two
ATTRIBUTE Flagged-Name 3 string Flagged`,
  })
  t.equal(addDictionaries(folder), null)
  const cases: [string, string | number, string][] = [
    ['Acme-Level', 'gold', '1a090001 82b9 01 03 07'],
    ['Acme-Port', 258, '1a0a000182b902040102'],
    ['Acme-Total', '18446744073709551615', '1a10000182b9030affffffffffffffff'],
    ['Acme-Offset', '-2', '1a0c000182b90406fffffffe'],
    ['Acme-Mac', '00:1A:2b:3c:4d:5e', '1a0e000182b90508001a2b3c4d5e'],
    ['Acme-Net', '10.0.0.0/24', '1a0e000182b9060800180a000000'],
    ['Acme-Host', '10.0.0.1', '1a0c000182b907060a000001'],
    ['Acme-Host', '2001:db8::1', '1a18000182b9071220010db8000000000000000000000001'],
    ['Acme-Key', '0x0102', '1a0a000182b908040102'],
    ['Acme-Policy-Name', 'ab', '1a0c000182b9 0906 0104 6162'],
    ['Acme-Policy-Deep', 5, '1a10000182b9 090a 0208 0306 00000005'],
    ['Acme-Extended', 'ab', 'f10a1a 000182b9 01 6162'],
    ['Service-Type', 'acme-service', '06060000004d'],
    ['Wide-Name', 'ab', '1a0c000182ba 00009800 6162'],
    ['Two-Name', 'ab', '1a0c000182bb 0102 0006 6162'],
    ['Flagged-Name', 'ab', '1a0b000182bc 0305 00 6162'],
    ['Vendor-99003-Attr-7', 'ab', '1a0c000182bb 0007 0006 6162'],
    ['Frag-Status', 1, 'f10701 00000001'],
    ['IP-Port-Limit', 9, 'f10905 0206 00000009'],
    ['Tunnel-Password:3', 'x', `4515 03 0000 01 78${'00'.repeat(14)}`],
  ]
  for (const [name, value, bytes] of cases) t.equal(encoded(name, value), bytes.replaceAll(' ', ''), name)
  t.match(encoded('Acme-Key', '0x01'), /Acme-Key holds 2 bytes, and this value has 1/)
  t.match(encoded('Acme-Policy', 'x'), /holds other attributes; name one of those/)
  t.match(encoded('Acme-Total', '18446744073709551616'), /at most 64 bits/)
  t.match(encoded('Acme-Net', '10.0.0.1/24'), /IPv4 prefix/)
  t.match(encoded('Acme-Internal', 'x'), /no RADIUS attribute/, 'what exists inside FreeRADIUS only is passed over')
})

t.test('a long value of RFC 6929 continues in further attributes', async (t) => {
  const text = 'x'.repeat(300)
  const bytes = Buffer.from(encoded('Acme-Long', text), 'hex')
  t.equal(bytes.toString('hex', 0, 9), 'f5ff1a80000182b902')
  const second = bytes.subarray(255)
  t.equal(second.toString('hex', 0, 4), 'f53a1a00'.replace('3a', (300 + 5 - 251 + 4).toString(16)))
  t.equal(bytes.toString('latin1', 9, 255) + second.toString('latin1', 4), text)
  t.notOk('fault' in encodeReplyAttributes([{ name: 'Acme-Long', value: text }]))
})

t.test('a fault names the file and the line', async (t) => {
  const faults: [string, RegExp][] = [
    ['ATTRIBUTE Only-A-Name', /dictionary\.bad\[2\]: ATTRIBUTE needs a name, a number and a type/],
    ['ATTRIBUTE Name 1 float128', /\[2\]: "float128" is no type/],
    ['ATTRIBUTE Name 1 constructor', /\[2\]: "constructor" is no type/],
    ['ATTRIBUTE Name 0 string', /\[2\]: "0" is no number/],
    ['ATTRIBUTE Name 1.x string', /\[2\]: "1\.x" is no number/],
    ['ATTRIBUTE Name 1 string shiny', /\[2\]: "shiny" is no flag/],
    ['VALUE No-Such Name 1', /\[2\]: there is no ATTRIBUTE "No-Such"/],
    ['VALUE Service-Type Name one', /\[2\]: "one" is no number/],
    ['VENDOR Acme 16777216', /\[2\]: VENDOR needs a name and a number/],
    ['VENDOR Acme 5 format=3,1', /\[2\]: "format=3,1" is no format/],
    ['BEGIN-VENDOR No-Such', /\[2\]: There is no VENDOR "No-Such"/],
    ['BEGIN-VENDOR Cisco', /dictionary\.bad: BEGIN-VENDOR cisco has no end/],
    ['END-VENDOR Cisco', /\[2\]: END-VENDOR ends no vendor/],
    ['BEGIN-TLV Filter-Id', /\[2\]: "Filter-Id" is no attribute of the type tlv/],
    ['$INCLUDE dictionary.absent', /\[2\]: dictionary\.absent cannot be read/],
    ['$INCLUDE dictionary.bad', /the files include each other without end/],
    ['STRUCT x', /\[2\]: "STRUCT" is not a word of a dictionary/],
  ]
  for (const [line, fault] of faults)
    t.match(addDictionaries(folderOf(t, { 'dictionary.bad': `# Bad.\n${line}` })), fault)
  t.match(addDictionaries('/nowhere'), /The dictionaries in \/nowhere cannot be read/)
  t.match(addDictionaries(folderOf(t, { readme: '' })), /There is no file "dictionary"/)
})

t.test('hostile dictionaries are read or refused in a sentence', async (t) => {
  const word = fc.oneof(
    fc.constantFrom(
      'ATTRIBUTE',
      'VALUE',
      'VENDOR',
      'BEGIN-VENDOR',
      'END-VENDOR',
      'BEGIN-TLV',
      'END-TLV',
      '$INCLUDE',
      'a',
    ),
    fc.constantFrom(
      '1',
      '26.1',
      '241.1',
      '0xff',
      'string',
      'tlv',
      'evs',
      'integer',
      'has_tag,encrypt=2',
      'format=1,1',
      '#',
    ),
    fc.string(),
  )
  const text = fc
    .array(fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')))
    .map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, (text) => {
      const read = DictionaryParser.parse('d', text, () => ({ fault: 'there is none.' }))
      return 'fault' in read ? read.fault.startsWith('d') : read.attributes.every(({ type }) => type >= 0)
    }),
    { numRuns: 20_000 },
  )
  t.pass()
})

t.test('every attribute that is shipped has a place in a packet', async (t) => {
  const samples = [
    '1',
    'x',
    '10.0.0.1',
    '2001:db8::1',
    '2001:db8::/64',
    '10.0.0.0/8',
    '0:0:0:1',
    '00:1a:2b:3c:4d:5e',
    '0x0102',
  ]
  const never = knownAttributes().filter(({ kind }) => kind === 'container' || kind === 'hidden' || kind === 'protocol')
  const homeless = knownAttributes()
    .filter((attribute) => !never.includes(attribute))
    .filter(({ name, length }) => {
      const values = length === null ? samples : [`0x${'00'.repeat(length)}`]
      return values.every((value) => 'fault' in encodeReplyAttribute(name, value))
    })
  t.strictSame(homeless, [])
  t.equal(findAttribute('mikrotik-rate-limit')?.vendor, 14988)
})

t.test(
  'the dictionaries of FreeRADIUS itself are read',
  { skip: !existsSync(freeradius) && 'not installed' },
  async (t) => {
    const read = readDictionaries(freeradius)
    t.notOk('fault' in read && read.fault)
    t.ok('attributes' in read && read.attributes.length > 5000)
  },
)
