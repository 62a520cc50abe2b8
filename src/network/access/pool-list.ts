import type { Database } from '../../platform/storage/database.ts'
import type { IpPull } from '../../platform/storage/entities/network.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { parseIpv4 } from '../radius/wire/address.ts'
import type { PoolDefinition } from './pools.ts'

type PoolRow = RowOf<typeof IpPull, 'id' | 'enabled'> & {
  network: string
  prefix_length: number
  gateway: string | null
}

const poolsSql = `SELECT id, host(network::inet) AS network, masklen(network) AS prefix_length, host(gateway) AS gateway, enabled
FROM ip_pulls WHERE family(network) = 4 ORDER BY id`

/** Reads every IPv4 pool, including those that are disabled. */
export async function loadPools(database: Database): Promise<PoolDefinition[]> {
  const { rows } = await database.pool.query<PoolRow>(poolsSql)
  return rows.map((row) => ({
    id: Number(row.id),
    network: parseIpv4(row.network)!,
    prefixLength: row.prefix_length,
    gateway: row.gateway === null ? null : parseIpv4(row.gateway),
    enabled: row.enabled,
  }))
}
