import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { RadiusFixture, nasEntry } from '../../network/radius/fixture.ts'
import { build, sealed, zeros } from '../../network/radius/wire/builder.ts'
import { radclient } from '../../support/radclient.ts'
import { nasId } from '../../../src/domain/ids.ts'

/**
 * Runs in a network namespace of its own: RADIUS on each wildcard it is given, addresses that were there before it and
 * that come later, and radclient asking each of them. Says for each what radclient heard.
 */
const secret = 'testing123'
const ip = (...words: string[]) => {
  const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`)
}
ip('link', 'set', 'lo', 'up')
for (const address of ['192.0.2.1/24', '192.0.2.2/24']) ip('addr', 'add', address, 'dev', 'lo')
for (const address of ['2001:db8::1/128', '2001:db8::2/128', 'fe80::2/64'])
  ip('addr', 'add', address, 'dev', 'lo', 'nodad')

for (const host of process.argv.slice(2)) await serve(host)

async function serve(host: string): Promise<void> {
  process.stdout.write(`on ${host}\n`)
  const ends: (() => unknown)[] = []
  const fixture = await RadiusFixture.start(
    { teardown: (action) => ends.push(action) },
    {
      host,
      workers: 2,
      nas: ['127.0.0.1', '192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '2001:db8::2', 'fe80::2'].map(
        (address, index) => nasEntry({ id: nasId(index + 1), ip: address, secret }),
      ),
    },
  )
  fixture.login(1)
  const ask = (address: string, name: string) => askRadclient(fixture, address, name)
  const ipv6 = host === '::' ? ['2001:db8::1', '2001:db8::2'] : []
  for (const address of ['127.0.0.1', '192.0.2.1', '192.0.2.2', ...ipv6]) await ask(address, address)
  if (host === '::') await askLinkLocal(fixture, 'fe80::2%lo')
  ip('addr', 'add', '192.0.2.3/24', 'dev', 'lo')
  await ask('192.0.2.3', '192.0.2.3')
  ip('addr', 'del', '192.0.2.3/24', 'dev', 'lo')
  ip('addr', 'add', '192.0.2.3/24', 'dev', 'lo')
  await ask('192.0.2.3', '192.0.2.3 again')
  ip('addr', 'del', '192.0.2.3/24', 'dev', 'lo')
  for (const end of ends) await end()
}

async function askRadclient({ engine }: RadiusFixture, address: string, name: string): Promise<void> {
  const { authPort, acctPort } = engine.addresses
  const login = 'User-Name = "user1"'
  const signed = 'Message-Authenticator = 0x00'
  const heard = [
    await heardFrom(address, authPort, 'auth', [login, 'User-Password = "secret1"', signed]),
    await heardFrom(address, acctPort, 'acct', [login, 'Acct-Status-Type = Start', 'Acct-Session-Id = "1"']),
  ]
  process.stdout.write(`${name}: ${heard.join(', ')}\n`)
}

/** Asks as often as a NAS would: a new address is known to node:dgram after some seconds. */
async function heardFrom(address: string, port: number, kind: 'auth' | 'acct', attributes: readonly string[]) {
  const host = address.includes(':') ? `[${address}]` : address
  const { received, text } = await radclient(port, kind, attributes, { secret, host, retries: 20, seconds: 1 })
  return received ?? text
}

/** radclient takes no zones, so a socket asks that hears nobody but the address asked. */
async function askLinkLocal({ engine }: RadiusFixture, address: string): Promise<void> {
  const authenticator = randomBytes(16)
  const socket = createSocket('udp6')
  socket.connect(engine.addresses.authPort, address)
  await once(socket, 'connect')
  socket.send(sealed(build(12, 1, authenticator, [[80, zeros(16)]]), authenticator, secret))
  const [answer] = (await once(socket, 'message')) as [Buffer]
  socket.close()
  process.stdout.write(`${address}: ${answer[0] === 2 ? 'answered' : 'something else'}\n`)
}
