import { readConfig } from '../../src/app/config.ts'
import { type Edge, type EdgeParts, startEdge } from '../../src/app/edge.ts'
import { createLog } from '../../src/platform/log.ts'
import { workingUrlOf } from '../../src/platform/postgres/working-role.ts'
import { patientLimits } from './database.ts'
import { TestProgram } from './program.ts'

/** An edge in the process of the test, which works as no superuser. Nobody signs in: it has no doors. */
export class OpenedEdge extends TestProgram {
  #edge: Edge | null = null

  constructor(env: NodeJS.ProcessEnv) {
    super({ TOLLGATE_ROLE: 'edge', TOLLGATE_RADIUS_WORKERS: '1', ...env })
  }

  get parts(): EdgeParts {
    return this.#edge!.parts
  }

  override async launch(): Promise<void> {
    const readUrl = this.env.TOLLGATE_READ_URL
    const reading = readConfig({ ...this.env, ...(readUrl && { TOLLGATE_READ_URL: workingUrlOf(readUrl) }) })
    if ('problems' in reading) throw new Error(reading.problems.join('\n'))
    this.log.length = 0
    this.#edge = await startEdge({
      config: reading.config,
      log: createLog({ pretty: false, write: (line) => this.take(line) }),
      databaseUrl: workingUrlOf(this.databaseUrl!),
      databaseLimits: patientLimits,
    })
    this.reached(this.#edge.addresses)
  }

  override async stop(): Promise<void> {
    await this.#edge?.stop()
    this.#edge = null
  }
}
