import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { bareEnv, Process } from '../../app/processes.ts'

const entry = 'src/main.ts'

export const header = 'contract_number;name;login;password;ip;mac;tarif;balance;limit;email;phone;folder'

/** `npx tollgate import_subscribers` as an operator runs it, on a database and a data folder of the test's. */
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

  start(args: readonly string[]): Process {
    const env = { ...bareEnv, TOLLGATE_DATA_DIR: this.#dataDir, ...this.#env }
    return new Process(this.#t, [entry, 'import_subscribers', ...args], { env })
  }

  async run(...args: string[]): Promise<{ status: number | null; text: string }> {
    const command = this.start(args)
    const { status } = await command.ended
    return { status, text: command.text }
  }

  check(text: string | Buffer) {
    return this.run(this.file(text))
  }

  apply(text: string | Buffer) {
    return this.run(this.file(text), '--apply')
  }
}
