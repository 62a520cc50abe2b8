import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SharedSecret } from '../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../src/network/radius/wire/writer.ts'
import { linePassword } from '../test/support/provider.ts'
import { accessRequest } from './access-client.ts'
import { missing } from './missing.ts'
import type { Payer } from './payers.ts'

const source = fileURLToPath(new URL('./payment-load/payment-load.c', import.meta.url))
const built = fileURLToPath(new URL('./build', import.meta.url))

/** Milliseconds from the moment a notice was due; a payer without an answer or an Access-Accept counts as lost. */
export type Waited = { readonly answered: number[]; readonly accepted: number[]; readonly lost: number }

export type Till = { readonly webhook: string; readonly authPort: number; readonly nas: { ip: string; secret: string } }

/** The load generator, compiled when its source is newer. Throws Missing where there is no compiler. */
export function paymentLoad(): string {
  const path = join(built, 'payment-load')
  if (existsSync(path) && statSync(path).mtimeMs > statSync(source).mtimeMs) return path
  mkdirSync(built, { recursive: true })
  try {
    execFileSync('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', path, source], { stdio: 'pipe' })
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') throw missing('a C compiler', 'gcc libc6-dev')
    throw error
  }
  return path
}

/** So many notices a second, all made beforehand, each followed by the question of the NAS. */
export async function payAtRate(program: string, till: Till, payers: readonly Payer[], rate: number): Promise<Waited> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-payments-'))
  try {
    const file = join(folder, 'payers')
    writeFileSync(file, prepared(till, payers))
    const { port } = new URL(till.webhook)
    const words = [file, port, String(till.authPort), till.nas.ip, String(rate)]
    const { stdout } = await promisify(execFile)(program, words, { maxBuffer: 1 << 28 })
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
    return {
      answered: rows.map(([answered]) => answered!).filter((ms) => ms >= 0),
      accepted: rows.map(([, accepted]) => accepted!).filter((ms) => ms >= 0),
      lost: rows.filter(([, accepted]) => accepted! < 0).length,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function prepared({ webhook, nas }: Till, payers: readonly Payer[]): Buffer {
  const { host, pathname } = new URL(webhook)
  const [writer, secret] = [new PacketWriter(), new SharedSecret(nas.secret)]
  return Buffer.concat(
    payers.flatMap(({ login, body, contentType }, n) => {
      const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
      const request = Buffer.from(head + body)
      const question = accessRequest(writer, secret, n & 255, login, linePassword)
      const lengths = Buffer.alloc(8)
      lengths.writeUInt32LE(request.length, 0)
      lengths.writeUInt32LE(question.length, 4)
      return [lengths, request, question]
    }),
  )
}
