/**
 * `node test/peers/freeradius/provider.by-hand.ts <folder> <subscribers> <sign-ins>` writes what `systemd.by-hand.sh` moves in
 * from: `daloradius.sql`, the tables of daloRADIUS for MySQL, `rows.sql`, what stands in them and in those of FreeRADIUS, and
 * `sign-ins`, which radclient asks.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { daloradiusTables } from '../../../src/billing/moving-in/freeradius/daloradius.ts'
import { radclientFile, signInsOf } from './asking.ts'
import { insertsOf, providerOf } from './database.ts'

const [folder, count, asking] = process.argv.slice(2)
if (!folder || !Number(count) || !Number(asking))
  throw new Error('Which folder, how many subscribers, how many sign-ins?')
const { contents, subscribers } = providerOf(Number(count))
const tables = Object.entries(daloradiusTables).map(([table, columns]) => {
  const others = columns.filter((column) => column !== 'id').map((column) => `${column} varchar(200)`)
  return `CREATE TABLE ${table} (id int PRIMARY KEY AUTO_INCREMENT, ${others.join(', ')}) DEFAULT CHARSET utf8mb4;\n`
})
writeFileSync(join(folder, 'daloradius.sql'), tables.join(''))
writeFileSync(join(folder, 'rows.sql'), insertsOf(contents, Object.keys(contents), true))
writeFileSync(join(folder, 'sign-ins'), radclientFile(signInsOf(subscribers).slice(0, Number(asking))))
