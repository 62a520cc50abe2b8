// needs radclient from freeradius-utils
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { loadAddon } from '../../src/network/radius/udp/addon.ts'

/** radclient drops an answer that comes from another address than it asked. */
const server = fileURLToPath(new URL('./addresses/server.ts', import.meta.url))
const mayMakeNetworks = spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up']).status === 0
const skip = mayMakeNetworks ? false : 'Left out: network namespaces need root, unshare and ip.'
const loaded = loadAddon()

for (const mode of ['auto', 'dgram'] as const) {
  const isLeftOut = mode === 'auto' && 'missing' in loaded ? `Left out: ${loaded.missing}.` : skip
  t.test(`${mode}: radclient hears every address, also one that comes and goes`, { skip: isLeftOut }, async (t) => {
    const child = spawn('unshare', ['-n', process.execPath, server, '0.0.0.0', '::'], {
      env: { ...process.env, TOLLGATE_RADIUS_UDP: mode },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more))
    await once(child, 'close')
    const radclient = (address: string) => `${address}: Access-Accept, Accounting-Response`
    const ipv4 = ['127.0.0.1', '192.0.2.1', '192.0.2.2'].map(radclient)
    const ipv6 = [...['2001:db8::1', '2001:db8::2'].map(radclient), 'fe80::2%lo: answered']
    const came = ['192.0.2.3', '192.0.2.3 again'].map(radclient)
    const expected = ['on 0.0.0.0', ...ipv4, ...came, 'on ::', ...ipv4, ...ipv6, ...came]
    t.strictSame(text.trim().split('\n'), expected)
  })
}
