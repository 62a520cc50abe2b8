import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { type Offer, OfferLog, offerGraceSeconds, readOffers } from '../../../src/network/access/offer-log.ts'

const began = 1_800_000_000

function offersFolder(t: { teardown(action: () => unknown): unknown }): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-offers-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A log that tells when so many bytes have been written by it. */
function openLog(folder: string, worker = 1, now = began) {
  let written: () => void = () => {}
  const failures: string[] = []
  const log = new OfferLog(folder, worker, now, (error) => {
    if (error) failures.push(error.message)
    written()
  })
  const sizes = () => readdirSync(folder).map((name) => statSync(join(folder, name)).size)
  const grown = async (records: number) => {
    while (sizes().reduce((sum, size) => sum + size) < records * 24)
      await new Promise<void>((resolve) => (written = resolve))
  }
  return { log, failures, grown }
}

const byAddress = (a: Offer, b: Offer) => a.address - b.address

t.test('offers are read back as they were made, the last one of each address', async (t) => {
  const folder = offersFolder(t)
  const { log, grown } = openLog(folder)
  const offer: Offer = { address: 0xfe000001, loginId: 2 ** 52 + 1, station: -5, offeredAt: began + 7 }
  log.add(offer.address, 1, 0, began + 1)
  log.add(offer.address, offer.loginId, offer.station, offer.offeredAt)
  for (let n = 0; n < 1000; n++) log.add(0x0a000000 + n, n, n, began + 8)
  const other = openLog(folder, 2)
  other.log.add(0x0b000000, 5, 0, began + 9)
  await grown(1003)
  const offers = readOffers(folder, began).sort(byAddress)
  t.equal(offers.length, 1002)
  t.same(offers.at(-1), offer)
  t.same(offers[999], { address: 0x0a000000 + 999, loginId: 999, station: 999, offeredAt: began + 8 })
  t.same(readOffers(folder, began + 8), [{ address: 0x0b000000, loginId: 5, station: 0, offeredAt: began + 9 }])
})

t.test('a log that goes on after a restart keeps what is still in doubt, and drops what has lapsed', async (t) => {
  const folder = offersFolder(t)
  const addresses = (now: number) =>
    readOffers(folder, now - offerGraceSeconds)
      .map(({ address }) => address)
      .sort((a, b) => a - b)
  const first = openLog(folder)
  first.log.add(1, 1, 0, began)
  await first.grown(1)
  const second = openLog(folder, 1, began + 100)
  second.log.add(2, 2, 0, began + 100)
  await second.grown(2)
  t.same(addresses(began + 100), [1, 2])
  second.log.add(3, 3, 0, began + 100 + offerGraceSeconds)
  await second.grown(3)
  t.same(addresses(began + 100 + offerGraceSeconds), [3])
  const third = began + 100 + 2 * offerGraceSeconds
  second.log.add(4, 4, 0, third)
  while (!addresses(third).includes(4)) await new Promise((resolve) => setImmediate(resolve))
  const bytes = readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
  t.equal(bytes, 48, 'the file of the lapsed offers was emptied')
})

t.test('whatever a power cut leaves in the files, only whole offers are read', async (t) => {
  const folder = offersFolder(t)
  const { log, grown } = openLog(folder)
  log.add(7, 7, 7, began)
  log.add(8, 8, 8, began)
  await grown(2)
  // The log goes on with the file that was changed last, and of two new ones that may be either.
  const file = readdirSync(folder)
    .map((name) => join(folder, name))
    .find((path) => statSync(path).size > 0)!
  const content = readFileSync(file)
  appendFileSync(file, Buffer.alloc(48))
  t.equal(readOffers(folder, 0).length, 2, 'zeros are no offers')
  truncateSync(file, 47)
  t.same(
    readOffers(folder, 0).map(({ address }) => address),
    [7],
  )
  fc.assert(
    fc.property(fc.nat(47), fc.integer({ min: 1, max: 255 }), (at, bits) => {
      const changed = Buffer.from(content)
      changed[at]! ^= bits
      writeFileSync(file, changed)
      return readOffers(folder, 0).length === 1
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      writeFileSync(file, bytes)
      readOffers(folder, 0)
    }),
  )
})
