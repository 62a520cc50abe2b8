import type { AccountingRecord } from './accounting-record.ts'
import type { SessionTable } from './session-table.ts'

/**
 * Completes the octets of a NAS that sends no Gigawords (RFC 2869 section 5.1), whose counters have 32 bits and begin
 * anew every 4 GiB: as TCP does with its sequence numbers, a later report is taken as counted on where that is less
 * than half of the range, and else as what was counted back, which leaves the session as it is.
 */
export function completeWrapped(record: AccountingRecord, sessions: Pick<SessionTable, 'find' | 'view'>): void {
  if (record.status === 'start' || !(record.inputMayWrap || record.outputMayWrap)) return
  const slot = sessions.find(record)
  if (slot < 0) return
  const { numbers, inputOctets, outputOctets } = sessions.view
  // A late report says nothing of what came after it.
  if (record.sessionTime < numbers.sessionTime[slot]!) return
  if (record.inputMayWrap) record.inputOctets = countedOn(inputOctets[slot]!, record.inputOctets)
  if (record.outputMayWrap) record.outputOctets = countedOn(outputOctets[slot]!, record.outputOctets)
}

function countedOn(known: bigint, reported: bigint): bigint {
  if (reported >= known) return reported
  const more = BigInt.asUintN(32, reported - known)
  return more < halfRange ? known + more : reported
}

const halfRange = 2n ** 31n
