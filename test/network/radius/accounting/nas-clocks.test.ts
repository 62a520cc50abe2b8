import t from 'tap'
import { nasId } from '../../../../src/domain/ids.ts'
import { readAccountingRecord } from '../../../../src/network/radius/accounting/accounting-record.ts'
import { NasClocks } from '../../../../src/network/radius/accounting/nas-clocks.ts'
import { accountingRequest } from '../../../support/nas.ts'

const nas = nasId(1)
const nowMs = Date.UTC(2027, 0, 1)
const eventTimestamp = 55
const delayTime = 41

t.test('an accounting packet tells by how much the clock of its NAS is ahead', async (t) => {
  const aheadOf = (...attributes: [number, number][]) =>
    readAccountingRecord(accountingRequest('secret', attributes), nas, nowMs).clockAheadMs
  t.equal(aheadOf(), null)
  t.equal(aheadOf([eventTimestamp, nowMs / 1000 + 90]), 90_000)
  t.equal(aheadOf([eventTimestamp, nowMs / 1000 - 30], [delayTime, 30]), 0, 'it says itself that it is late')
})

t.test('what has waited on its way makes no clock wrong', async (t) => {
  const clocks = new NasClocks()
  t.equal(clocks.aheadSecondsOf(nas), null)
  for (const aheadMs of [-90_000, -600, -30_000]) clocks.hear(nas, aheadMs, nowMs)
  t.equal(clocks.aheadSecondsOf(nas), -1)
  const minutes = (count: number) => nowMs + count * 60_000
  clocks.hear(nas, -3_600_000, minutes(11))
  t.equal(clocks.aheadSecondsOf(nas), -1, 'one late packet after ten minutes')
  clocks.hear(nas, -3_600_000, minutes(22))
  t.equal(clocks.aheadSecondsOf(nas), -3600, 'nothing but late ones for ten more')
  clocks.hear(nas, 7_000, minutes(50))
  t.equal(clocks.aheadSecondsOf(nas), 7, 'what is long ago does not count')
})
