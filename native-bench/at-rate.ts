import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { codes } from '../src/network/radius/wire/packet.ts'
import { SharedSecret } from '../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../src/network/radius/wire/writer.ts'
import { accessRequest } from './access-client.ts'
import { compiled } from './compiled.ts'

/** A request of HTTP, and whom the NAS asks for when it has its answer; null: for nobody. */
export type Deed = {
  readonly request: Buffer
  readonly asks: { readonly login: string; readonly password: string; readonly isAccepted: boolean } | null
}

/**
 * Where deeds are done and where their access is asked for, which need not be one program. `againMs`: how long after
 * another answer than that which is waited for the NAS asks again; without it another answer is the last.
 */
export type Doors = {
  readonly httpPort: number
  readonly authPort: number
  readonly nas: { readonly ip: string; readonly secret: string }
  readonly againMs?: number
}

/**
 * Milliseconds of a deed from the moment it was due to its answer and to that of RADIUS which is waited for; null: it
 * did not come.
 */
export type DeedWaits = { readonly answered: number | null; readonly changed: number | null }

/** The generator waits for the last answers so long, and is given as long again to write down what it saw. */
const patienceMs = 20_000

/** The load generator, compiled when its source is newer. Throws Missing where there is no compiler. */
export const atRateProgram = (): string =>
  compiled('payment-load', 'payment-load', ['payment-load', '../radius-load/md5'])

/** So many deeds a second, all prepared beforehand, whether or not those before are answered; in their order. */
export async function atRate(doors: Doors, deeds: readonly Deed[], perSecond: number): Promise<readonly DeedWaits[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-deeds-'))
  const { httpPort, authPort, nas, againMs = 0 } = doors
  try {
    const file = join(folder, 'deeds')
    writeFileSync(file, prepared(deeds, nas.secret))
    const words = [file, httpPort, authPort, nas.ip, nas.secret, perSecond, againMs].map(String)
    const timeout = Math.ceil((deeds.length / perSecond) * 1000) + 2 * patienceMs
    const { stdout } = await promisify(execFile)(atRateProgram(), words, { maxBuffer: 1 << 28, timeout })
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [answered, changed] = line.split(' ').map((word) => (Number(word) < 0 ? null : Number(word)))
        return { answered: answered!, changed: changed! }
      })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** As HTTP/1.1 has it, on a connection that stays open. */
export function httpRequest(url: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const { host, pathname } = new URL(url)
  const all = { Host: host, ...headers, 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

function prepared(deeds: readonly Deed[], text: string): Buffer {
  const [writer, secret] = [new PacketWriter(), new SharedSecret(text)]
  return Buffer.concat(
    deeds.flatMap(({ request, asks }) => {
      const question = asks ? accessRequest(writer, secret, 0, asks.login, asks.password) : Buffer.alloc(0)
      const head = Buffer.alloc(12)
      head.writeUInt32LE(request.length, 0)
      head.writeUInt32LE(question.length, 4)
      head.writeUInt32LE(asks?.isAccepted === false ? codes.accessReject : codes.accessAccept, 8)
      return [head, request, question]
    }),
  )
}
