import t from 'tap'
import { rememberAddresses } from '../../src/app/pool-addresses.ts'
import { AddressPools, AddressSource } from '../../src/network/access/pools.ts'
import { stationHashOf } from '../../src/network/access/station.ts'
import { AccessTable } from '../../src/network/access/table.ts'
import type { LastSession } from '../../src/network/radius/accounting/accounting-store.ts'
import { formatIpv4 } from '../../src/network/radius/wire/address.ts'
import { type Log, silentLog } from '../../src/platform/log.ts'
import { fieldsOf } from '../network/access/entries.ts'

const phone = '02-00-00-00-00-01'

/** The logins 1 to 5 of a pool, of which 3 has an address of its own, 4 a live session, and 5 may have two sessions. */
function network(t: { teardown(action: () => unknown): unknown }) {
  const table = new AccessTable()
  const pools = new AddressPools()
  pools.define([{ id: 7, network: 0x0a000000, prefixLength: 28, gateway: null, enabled: true }], () => [])
  for (const id of [1, 2, 3, 4, 5])
    table.put(fieldsOf(id, { poolId: 7, ip: id === 3 ? 0x0b000001 : -1, simultaneousUse: id === 5 ? 2 : 1 }))
  table.addSession(4, 0)
  const source = new AddressSource(pools.handle(), 1)
  t.teardown(() => {
    source.close()
    pools.close()
    table.close()
  })
  const warnings: string[] = []
  const log: Log = { ...silentLog, warn: (message) => void warnings.push(message) }
  const signIn = (id: number, station = 0) => formatIpv4(source.acquire(7, id, station, id === 5 ? 2 : 1, 1000))
  return { access: { table, pools }, log, warnings, signIn }
}

const session = (loginId: number, ip: string, endedAt: number): LastSession => ({
  loginId,
  ip,
  callingStationId: phone,
  endedAt,
})

t.test('the pools learn the last addresses of logins that have neither a session nor an own address', async (t) => {
  const { access, log, warnings, signIn } = network(t)
  const asked: number[] = []
  const sessions = [session(1, '10.0.0.3', 20), session(2, '10.0.0.3', 10), session(5, '10.0.0.1', 30)]
  const store = {
    lastSessionsOf: async (logins: readonly { loginId: number }[]) => {
      asked.push(...logins.map(({ loginId }) => loginId))
      return sessions
    },
  }
  await rememberAddresses(store, access, log)
  t.same(asked.sort(), [1, 2, 5])
  t.equal(signIn(2), '10.0.0.2', 'another login had the address later')
  t.equal(signIn(5, stationHashOf(phone)), '10.0.0.1')
  t.equal(signIn(1), '10.0.0.3')
  t.same(warnings, [])
})

t.test('a database that is slow or fails costs the start little and only the last addresses', async (t) => {
  const { access, log, warnings, signIn } = network(t)
  await rememberAddresses({ lastSessionsOf: async () => t.fail() as never }, access, log, 0)
  t.same(warnings.splice(0), ['Some logins may get another pool address than they had last.'])
  await rememberAddresses({ lastSessionsOf: () => Promise.reject(new Error('timeout')) }, access, log)
  t.equal(warnings.length, 2)
  t.equal(signIn(1), '10.0.0.1')
})
