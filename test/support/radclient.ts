import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * FreeRADIUS's client checks Response Authenticator and Message-Authenticator of what it gets, and drops what is wrong.
 */
type Answer = { received: string | null; attributes: Record<string, string>; text: string }

/** Debian's. */
const shipped = '/usr/share/freeradius'
/** Of the RFCs, of the server itself, and of the vendors of whom tests send or are answered something. */
const needed = /^\$INCLUDE (dictionary\.(rfc\d+|freeradius\.internal|microsoft|mikrotik))$/

let few: string | null = null

/** A folder with the dictionaries that tests need. To read all two hundred costs more than all else that radclient does. */
function fewDictionaries(): string {
  if (few !== null) return few
  few = mkdtempSync(join(tmpdir(), 'tollgate-dictionaries-'))
  const lines = readFileSync(join(shipped, 'dictionary'), 'utf8').split('\n')
  const names = lines.flatMap((line) => needed.exec(line)?.[1] ?? [])
  writeFileSync(join(few, 'dictionary'), names.map((name) => `$INCLUDE ${join(shipped, name)}\n`).join(''))
  return few
}

export async function radclient(
  port: number,
  kind: 'auth' | 'acct' | 'status',
  attributes: readonly string[],
  options: { secret?: string; retries?: number; seconds?: number; host?: string } = {},
): Promise<Answer> {
  const args = [
    '-x',
    ...['-D', fewDictionaries()],
    ...['-r', String(options.retries ?? 3), '-t', String(options.seconds ?? 2)],
    `${options.host ?? '127.0.0.1'}:${port}`,
    kind,
    options.secret ?? 'testing123',
  ]
  const client = spawn('radclient', args)
  let text = ''
  for (const stream of [client.stdout, client.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more))
  client.stdin.end(`${attributes.join('\n')}\n`)
  await once(client, 'close')
  const [, answer = ''] = text.split(/^Received /m)
  const found = [...answer.matchAll(/^\t(\S+) = (.*)$/gm)].map(([, name, value]) => [
    name!,
    value!.replace(/^"(.*)"$/, '$1'),
  ])
  return { received: /^(\S+)/.exec(answer)?.[1] ?? null, attributes: Object.fromEntries(found), text }
}
