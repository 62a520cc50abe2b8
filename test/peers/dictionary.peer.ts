// needs radclient from freeradius-utils
import { spawn } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { keyOf } from '../../src/network/radius/wire/attribute-key.ts'
import { encodeReplyItem, type ReplyAttribute } from '../../src/network/radius/wire/dictionary.ts'
import type { KnownAttribute } from '../../src/network/radius/wire/dictionary/entry.ts'
import { knownAttributes } from '../../src/network/radius/wire/dictionary/known-attributes.ts'
import { codes, PacketView } from '../../src/network/radius/wire/packet.ts'
import { packSecrets, writeSecrets } from '../../src/network/radius/wire/secret-attributes.ts'
import { SharedSecret } from '../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../src/network/radius/wire/writer.ts'

/**
 * FreeRADIUS's client encodes a value of every attribute that is shipped, from its own dictionaries; the bytes must be
 * ours. What we answer in turn it must decode to the same names and values.
 */
const secret = new SharedSecret('testing123')
/** Of a packet, which has 4,096 bytes at most. */
const batchBytes = 3_000
const shipped = resolve('src/network/radius/wire/dictionaries')
/** Of the shipped ones, FreeRADIUS has these not, or not yet in every version. */
const ownFiles = ['tplink', 'ubiquiti']
const accelVendor = 55999

const sampleOf: Partial<Record<KnownAttribute['kind'], string>> = {
  text: 'sample text',
  octets: '0x0102ff',
  integer: '1234567',
  integer64: '12345678901',
  signed: '-12345',
  short: '45678',
  byte: '201',
  date: '1000000000',
  ipv4: '10.1.2.3',
  ipv4Prefix: '10.1.0.0/16',
  ipv6: '2001:db8::1',
  ipv6Prefix: '2001:db8:1::/48',
  anyIp: '10.1.2.3',
  interfaceId: '0:0:abcd:1',
  ether: '00:1a:2b:3c:4d:5e',
  taggedText: 'sample text',
  taggedInteger: '1234567',
}

type Sample = { attribute: KnownAttribute; value: string; ours: ReplyAttribute }

function samples(): Sample[] {
  const found = new Map<number, Sample>()
  for (const attribute of knownAttributes()) {
    const { kind, length, vendor, type, nested } = attribute
    const value = length === null || kind === 'hidden' ? sampleOf[kind] : `0x${'a5'.repeat(length)}`
    // FreeRADIUS 3 neither writes nor reads the TLVs of RFC 6930.
    const is6rd = vendor === null && type === 173
    // accel-ppp's numbers in the space of RFC 6929 have another meaning in FreeRADIUS.
    const isAccel = vendor === accelVendor || (vendor === null && type >= 241 && nested.length === 0)
    if (value === undefined || isAccel || is6rd || found.has(keyOf(attribute))) continue
    const ours = encodeReplyItem({ name: attribute.name, value })
    if ('fault' in ours) throw new Error(ours.fault)
    found.set(keyOf(attribute), { attribute, value, ours })
  }
  return [...found.values()]
}

/** As many in each as fit into a packet: each is a radclient, which first reads all dictionaries. */
function batchesOf(all: readonly Sample[]): Sample[][] {
  const batches: Sample[][] = [[]]
  let bytes = 0
  for (const sample of all) {
    bytes += sample.ours.bytes.length
    if (bytes > batchBytes) {
      batches.push([])
      bytes = sample.ours.bytes.length
    }
    batches.at(-1)!.push(sample)
  }
  return batches
}

/** One exchange: what radclient sends, and what it prints of our answer. */
async function exchange(socket: Socket, dictionaries: string, batch: readonly Sample[]) {
  const { port } = socket.address() as AddressInfo
  const arrived = once(socket, 'message') as Promise<[Buffer, { port: number }]>
  const client = spawn('radclient', ['-x', '-r', '1', '-D', dictionaries, `127.0.0.1:${port}`, 'auth', 'testing123'])
  let printed = ''
  for (const stream of [client.stdout, client.stderr])
    stream.setEncoding('utf8').on('data', (more) => (printed += more))
  const ended = once(client, 'close')
  const isText = ({ kind, length }: KnownAttribute) => length === null && (kind === 'text' || kind === 'taggedText')
  // FreeRADIUS encrypts in answers only, so of those it gets ours and shows what it reads.
  const sent = batch.filter(({ ours }) => ours.encryption === 0)
  const lines = sent.map(({ attribute, value }) => `${attribute.name} = ${isText(attribute) ? `"${value}"` : value}`)
  client.stdin.end(`${[...lines, 'Message-Authenticator = 0x00'].join('\n')}\n`)
  const first = await Promise.race([arrived, ended.then(() => null)])
  if (first === null) return { request: Buffer.alloc(0), printed }
  const [request, { port: from }] = first
  socket.send(answerTo(request, batch), from, '127.0.0.1')
  await ended
  return { request, printed }
}

function answerTo(request: Buffer, batch: readonly Sample[]): Buffer {
  const view = new PacketView()
  view.reset(request)
  const writer = new PacketWriter()
  writer.begin(codes.accessAccept, view.identifier)
  writer.messageAuthenticator()
  for (const { ours } of batch) if (ours.encryption === 0) writer.encoded(ours.bytes)
  const packed = packSecrets(batch.flatMap(({ ours }) => (ours.encryption === 0 ? [] : [ours])))
  writeSecrets(writer, packed, 0, packed.length, view.authenticator, secret, 0)
  writer.finishResponseTo(view, secret)
  return writer.copy()
}

function dictionariesOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'dictionary-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const includes = ownFiles.map((name) => `$INCLUDE ${shipped}/dictionary.${name}`)
  writeFileSync(join(folder, 'dictionary'), ['$INCLUDE /usr/share/freeradius/dictionary', ...includes].join('\n'))
  return folder
}

t.test('FreeRADIUS writes and reads every attribute as we do', async (t) => {
  const dictionaries = dictionariesOf(t)
  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const namesOf = new Map<number, string[]>()
  for (const attribute of knownAttributes()) {
    const key = keyOf(attribute)
    namesOf.set(key, [...(namesOf.get(key) ?? []), attribute.name.toLowerCase()])
  }
  const all = samples()
  const wrong: string[] = []
  for (const batch of batchesOf(all)) {
    const { request, printed } = await exchange(socket, dictionaries, batch)
    const received = printed.split(/^Received /m)[1]?.toLowerCase() ?? ''
    if (received === '') wrong.push(`no exchange: ${printed.slice(0, 300)}`)
    for (const { attribute, value, ours } of batch) {
      // FreeRADIUS sends a prefix with all its octets, and packets of its filters in a form of its own.
      const isAlike = attribute.kind !== 'ipv6Prefix' && attribute.name !== 'Alc-Ascend-Data-Filter-Host-Spec'
      const plain = ours.encryption === 0 && attribute.nested.length === 0 && isAlike
      if (plain && request.indexOf(ours.bytes) === -1) wrong.push(`${attribute.name} is written otherwise`)
      const names = namesOf.get(keyOf(attribute))!
      const shown = received.split('\n').find((line) => names.includes(line.trim().split(/[ :]/)[0]!))
      const isShown = shown !== undefined && (attribute.kind === 'date' || shown.includes(value))
      if (!isShown) wrong.push(`${attribute.name} is read otherwise: ${shown}`)
    }
  }
  t.ok(all.length > 1500, `${all.length} attributes`)
  t.strictSame(wrong, [])
})
