import { readConfig } from '../../src/app/config.ts'
import { type Parts, type Program, startProgram } from '../../src/app/program.ts'
import type { Clock } from '../../src/platform/actors/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import type { DatabaseLimits } from '../../src/platform/storage/database.ts'
import { workingUrlOf } from '../../src/platform/postgres/working-role.ts'
import { fewConnections, patientLimits, testDatabaseUrl } from './database.ts'
import { chargesFarOff, TestProgram } from './program.ts'

type Teardown = { teardown(deed: () => unknown): unknown }

/**
 * A program in the process of the test, gone when the test is through, on a migrated database of its own unless `env`,
 * which is as an operator sets it, names one. It works there as on the embedded PostgreSQL, as no superuser.
 */
export async function openProgram(...asked: Parameters<typeof launchProgram>): Promise<OpenedProgram> {
  const program = await launchProgram(...asked)
  await program.signIn()
  return program
}

/** The same, but nobody signs in: the staff of its database are not those of the tests. */
export async function launchProgram(
  t: Teardown,
  env: NodeJS.ProcessEnv = {},
  clock?: Clock,
  workingUrl = workingUrlOf,
): Promise<OpenedProgram> {
  const url = env.DATABASE_URL ?? (await testDatabaseUrl(t))
  const program = new OpenedProgram({ ...env, DATABASE_URL: url }, clock, workingUrl)
  t.teardown(async () => {
    await program.stop()
    // A folder that it was given is somebody else's.
    if (env.TOLLGATE_DATA_DIR === undefined) program.remove()
  })
  await program.launch()
  return program
}

/**
 * The same program again, on the database, the data folder and, where they are set, the ports of one that has ended: a
 * process that was killed, whose successor nobody kills. It works as the role of that process, because it ends what the
 * server still does for that one, and no other role may.
 */
export const reopenProgram = (t: Teardown, ended: TestProgram): Promise<OpenedProgram> =>
  openProgram(t, ended.env, undefined, (url) => url)

/** For tests that do not kill it: the database must be there. */
export class OpenedProgram extends TestProgram {
  readonly #clock: Clock | undefined
  readonly #workingUrl: (ownerUrl: string) => string
  limits: DatabaseLimits = patientLimits
  #program: Program | null = null

  /** With one RADIUS worker, where `env` does not say more: a start of one costs a tenth of a second of CPU. */
  constructor(env: NodeJS.ProcessEnv, clock?: Clock, workingUrl = workingUrlOf) {
    super({ TOLLGATE_RADIUS_WORKERS: '1', ...chargesFarOff(), ...env }, env.TOLLGATE_DATA_DIR)
    this.#clock = clock
    this.#workingUrl = workingUrl
  }

  /** Of a program that runs. */
  get parts(): Parts {
    return this.#program!.parts
  }

  override async launch(): Promise<void> {
    const reading = readConfig(this.env)
    if ('problems' in reading) throw new Error(reading.problems.join('\n'))
    this.log.length = 0
    const log = createLog({ pretty: false, write: (line) => this.take(line) })
    const open = () =>
      startProgram({
        config: reading.config,
        log,
        ...(this.#clock && { clock: this.#clock }),
        databaseUrl: this.#workingUrl(this.databaseUrl!),
        ownerUrl: this.databaseUrl!,
        databaseLimits: this.limits,
        databaseConnections: fewConnections,
      })
    // A port 0 is chosen before it is bound, and a process beside this one may take it in between.
    this.#program = await open().catch((error) => {
      if (error.code !== 'EADDRINUSE') throw error
      return open()
    })
    this.reached(this.#program.addresses)
  }

  override async stop(): Promise<void> {
    await this.#program?.stop()
    this.#program = null
  }
}
