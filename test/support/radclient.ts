import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * FreeRADIUS's client checks Response Authenticator and Message-Authenticator of what it gets, and drops what is wrong.
 */
type Answer = { received: string | null; attributes: Record<string, string>; text: string }

export async function radclient(
  port: number,
  kind: 'auth' | 'acct' | 'status',
  attributes: readonly string[],
  options: { secret?: string; retries?: number; host?: string } = {},
): Promise<Answer> {
  const args = [
    '-x',
    '-r',
    String(options.retries ?? 3),
    '-t',
    '2',
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
