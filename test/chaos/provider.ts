import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { freeUdpPort } from '../support/free-port.ts'
import type { Phone } from '../support/phone.ts'
import type { TestProgram } from '../support/program.ts'
import { salt } from '../support/soap.ts'
import { networkOfRun } from './attack/stranger.ts'
import type { Book } from './book.ts'
import { usePhones, usePortal } from './doors/clients.ts'
import { type Gateways, payByCallback } from './doors/gateways.ts'
import { dialIn } from './doors/lines.ts'
import { moveByRest, readByRest } from './doors/money.ts'
import { rule, signInAgain, throwGarbage, watchOffice } from './doors/office.ts'
import { payBySoap } from './doors/soap.ts'
import { systemPassword } from './end.ts'
import { ChaosNas, nasSecret, type RadiusServer } from './nas.ts'
import { diceOf, type Plan } from './plan.ts'
import type { Stage } from './stage.ts'

const promiseTerms = {
  LK_PROMISE_PAY_MIN_AGE_DAYS: '0',
  LK_PROMISE_PAY_COOLDOWN_DAYS: '0',
  JOB_PERIOD_PROCESS_BLOCKS: '1',
  JOB_PERIOD_CHECK_EXPIRED_PROMISES: '1',
}

/** How the program of a run is set up, as an environment. */
export const settingsOf = (gateways: Gateways, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries({
      ...gateways.settings,
      SYSTEM_API_PASSWORD: systemPassword,
      SOAP_HASH_SALT: salt,
      ...promiseTerms,
      JOB_TIME_BILLING_WORKER: '00:05',
      ...more,
    }).map(([name, value]) => [`TOLLGATE_SETTING_${name}`, value]),
  )

const manners = ['sameBytes', 'delayTime', 'stamped', 'delayTime'] as const

/** NAS that the program knows, each asking first another of the servers. */
export async function plugIn(
  plan: Plan,
  count: number,
  { program, servers }: { readonly program: TestProgram; readonly servers: readonly RadiusServer[] },
  teardown: (end: () => unknown) => unknown,
): Promise<ChaosNas[]> {
  const all: ChaosNas[] = []
  for (let index = 0; index < count; index++) {
    const ip = `${networkOfRun}.0.${index + 10}`
    const coaPort = await freeUdpPort(ip)
    const record = { name: `nas ${ip}`, ip, secret: nasSecret, nas_type: 'mikrotik', coa_port: coaPort }
    await program.create('Nas', record)
    const nas = new ChaosNas({
      ip,
      coaPort,
      manner: manners[index % manners.length]!,
      isDeaf: plan.deafNas.includes(index),
      servers,
      home: index,
      clockMs: plan.firstShiftMs,
      dice: diceOf(plan.seed, `nas ${index}`),
      onRecord: () => {},
    })
    await nas.start()
    teardown(() => nas.close())
    all.push(nas)
  }
  return all
}

/** Tells the doors and the book what becomes of the records of accounting. Bad weather is no fault of the server. */
export function followRecords(stage: Stage): void {
  const { book, doors } = stage
  for (const nas of stage.nas)
    nas.parts.onRecord = (isAnswered, tookMs) => {
      const { nowMs } = stage
      if (isAnswered) book.waits.push({ who: 'accounting', fromMs: nowMs - tookMs, toMs: nowMs })
      if (!isAnswered && (nas.weather.silent || nas.weather.lost > 0 || nas.isBooting)) return
      doors['radius accounting'].took(isAnswered ? 'served' : 'unserved', nowMs, nowMs)
    }
}

/** Everybody who uses the program, at every door, until the stage says that it is over. */
export function startLoad(stage: Stage, gateways: Gateways, phone: Phone): Promise<void>[] {
  const { clients } = stage
  gateways.stage = stage
  const third = Math.ceil(clients.length / 3)
  const parts = [
    ...clients.map((client) => dialIn(stage, client)),
    ...[1, 2, 3].map((number) => moveByRest(stage, number)),
    readByRest(stage),
    payBySoap(stage),
    payByCallback(stage, gateways),
    usePhones(stage, gateways, phone, clients.slice(0, third)),
    usePhones(stage, gateways, phone, clients.slice(third)),
    usePortal(stage, clients),
    rule(stage, clients.slice(0, third * 2)),
    watchOffice(stage),
    signInAgain(stage),
    throwGarbage(stage),
  ]
  return guarded(parts, stage.book)
}

/** A part that breaks is a violation. */
export const guarded = (parts: readonly Promise<void>[], book: Book): Promise<void>[] =>
  parts.map((part) => part.catch((error: Error) => book.violate('a part of the load broke', error.stack)))

/** What is still to be done: rows of the outbox, files of the spools. */
export const openEnds = (pool: Pool, dataDirs: readonly string[]) => async () => ({
  outbox: (await pool.query('SELECT * FROM outbox WHERE done_at IS NULL ORDER BY id')).rows as unknown[],
  spool: dataDirs.flatMap((dataDir) => globSync(join(dataDir, 'spool', '*.spool'))),
})

/** The command, as an operator runs it; null when it finds nothing. */
export function verifyLedger(url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const env = { ...process.env, TOLLGATE_TEST_POSTGRES: undefined, DATABASE_URL: url }
    execFile(process.execPath, ['src/main.ts', 'verify_ledger'], { env }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}` : null),
    )
  })
}
