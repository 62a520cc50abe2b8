import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import { NasMemory } from '../../../src/network/radius/health/nas-memory.ts'
import { PatientPool } from '../../../src/platform/storage/patient-pool.ts'
import { capturedLog } from '../../platform/http/parts.ts'
import { endedWith, patientLimits, testDatabase } from '../../support/database.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { until } from '../../support/until.ts'

t.test('what a NAS taught while no connection could be had is stored when one can', async (t) => {
  const { database, url } = await testDatabase(t)
  const patienceMs = patientLimits.connectionTimeoutMillis
  const only = endedWith(t, new PatientPool({ connectionString: url, max: 1, patienceMs }))
  await database.pool.query(`INSERT INTO nas (id, name, ip, secret) VALUES (1, 'bras', '192.0.2.1', '')`)
  const clock = new ManualClock(new Date('2026-07-01T12:00:00Z'))
  const { log, lines } = capturedLog()
  const parts = { pool: only, interimsPool: only, timeZone: () => 'UTC', clock, log }
  const memory = new NasMemory(parts)
  const told = () => lines.map(({ level }) => level)
  const nas = nasId(1)
  const record = async () => {
    const { rows } = await database.pool.query(
      'SELECT learned_message_authenticator AS signs, asked_ip, learned_interims AS interims FROM nas',
    )
    return rows[0]
  }

  const held = await only.connect()
  only.patienceMs = 20
  memory.learned({ nasId: nas, messageAuthenticator: true, proxyState: null })
  memory.heard({ kind: 'asked', nasId: nas, address: '192.0.2.7', atMs: 0 })
  memory.interims(nas, true)
  await until(() => lines.length > 0)
  t.same(await record(), { signs: null, asked_ip: null, interims: null })
  only.patienceMs = patienceMs
  held.release()
  await until(async () => {
    clock.advance(1_000)
    return (await record()).interims
  })
  t.same(await record(), { signs: true, asked_ip: '192.0.2.7', interims: true })
  t.ok(told().every((level) => level === 'debug'))

  const heldAgain = await only.connect()
  only.patienceMs = 20
  memory.learned({ nasId: nas, messageAuthenticator: false, proxyState: null })
  memory.forget()
  memory.heard({ kind: 'proved', nasId: nas, usesNext: true, atMs: 0 })
  await memory.stop()
  heldAgain.release()
  t.match(lines.at(-1), { level: 'warn', detail: 'proved next 1' }, 'what is lost in the end is told, and nothing else')
  const { rows } = await database.pool.query('SELECT diff FROM audit_operations')
  t.same(rows, [{ diff: { learned_message_authenticator: [null, true], learned_proxy_state: [null, null] } }])
})

t.test('what many NAS teach of their Interim-Updates is stored together', async (t) => {
  const { database } = await testDatabase(t)
  const { pool } = database
  await pool.query(
    `INSERT INTO nas (id, name, ip, secret) SELECT n, 'bras' || n, inet '192.0.2.0' + n, '' FROM generate_series(1, 40) AS n`,
  )
  const clock = new ManualClock(new Date('2026-07-01T12:00:00Z'))
  const { log, lines } = capturedLog()
  const memory = new NasMemory({ pool, interimsPool: pool, timeZone: () => 'UTC', clock, log })
  const teach = (from: number, to: number, sends: boolean) => {
    for (let id = from; id <= to; id++) memory.interims(nasId(id), sends)
  }
  /** By what was learned: how many NAS, and in how many transactions. */
  const stored = async () => {
    const { rows } = await pool.query(
      `SELECT learned_interims AS sends, count(*)::int4 AS nas, count(DISTINCT xmin::text)::int4 AS transactions
        FROM nas GROUP BY 1 ORDER BY 1`,
    )
    return rows
  }
  teach(1, 30, true)
  teach(30, 30, false)
  clock.advance(1_000)
  await until(async () => (await stored()).length === 3)
  t.same(await stored(), [
    { sends: false, nas: 1, transactions: 1 },
    { sends: true, nas: 29, transactions: 1 },
    { sends: null, nas: 10, transactions: 1 },
  ])
  teach(31, 35, true)
  memory.forget()
  teach(36, 40, true)
  await memory.stop()
  t.same((await stored())[1], { sends: true, nas: 34, transactions: 2 }, 'a stop stores what was not forgotten')
  t.same(lines, [])
})
