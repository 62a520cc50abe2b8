import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { bareEnv, type Ended, Process, runCommand } from '../../app/processes.ts'

export const header = 'contract_number;name;login;password;ip;mac;tarif;balance;limit;email;phone;folder'

/** `npx tollgate import_subscribers` on a database and a data folder of the test's. */
export class ImportRun {
  readonly #t: Test
  readonly #dataDir: string
  readonly #env: NodeJS.ProcessEnv

  constructor(t: Test, dataDir: string, env: NodeJS.ProcessEnv = {}) {
    this.#t = t
    this.#dataDir = dataDir
    this.#env = env
  }

  file(text: string | Buffer, name = 'subscribers.csv'): string {
    const path = join(this.#dataDir, name)
    writeFileSync(path, text)
    return path
  }

  get #surroundings(): NodeJS.ProcessEnv {
    return { TOLLGATE_DATA_DIR: this.#dataDir, ...this.#env }
  }

  /** As a process, to be killed. */
  start(args: readonly string[]): Process {
    const env = { ...bareEnv, ...this.#surroundings }
    return new Process(this.#t, ['src/main.ts', 'import_subscribers', ...args], { env })
  }

  run(...args: string[]): Promise<Ended> {
    return runCommand(['import_subscribers', ...args], this.#surroundings)
  }

  check(text: string | Buffer) {
    return this.run(this.file(text))
  }

  apply(text: string | Buffer) {
    return this.run(this.file(text), '--apply')
  }
}
