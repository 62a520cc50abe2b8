import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needPackages } from './packages.ts'

export type PgbenchRun = {
  readonly url: string
  /** The transaction, as pgbench reads it. */
  readonly script: string
  readonly clients: number
  readonly seconds: number
}

/** Where Debian puts it: beside the server of its version. Throws Missing. */
export function findPgbench(): string {
  const program = '/usr/lib/postgresql/15/bin/pgbench'
  needPackages(program, 'postgresql-15')
  return program
}

/**
 * PostgreSQL's own load generator with prepared statements, as a client of that server. Answers transactions a second.
 */
export async function pgbench(program: string, { url, script, clients, seconds }: PgbenchRun): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-pgbench-'))
  const file = join(folder, 'transaction.sql')
  writeFileSync(file, script)
  try {
    const options = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds), '-f', file, url]
    const text = await outputOf(program, options)
    const rate = /^tps = ([\d.]+)/m.exec(text)?.[1]
    if (rate === undefined || /number of failed transactions: [1-9]/.test(text))
      throw new Error(`pgbench says:\n${text}`)
    return Number(rate)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function outputOf(program: string, options: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part) => {
        text += part
      })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`pgbench ended with ${code}:\n${text}`)),
    )
  })
}
