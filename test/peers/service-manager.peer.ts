import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ServiceManager } from '../../src/app/service-manager.ts'
import { loadAddon } from '../../src/network/radius/udp/addon.ts'
import { silentLog } from '../../src/platform/log.ts'
import { bareEnv, emptyFolder, Process } from '../app/processes.ts'
import { migratedDataDir } from '../support/data-folder.ts'

// needs /usr/bin/python3 from python3
// needs systemd-notify from systemd

type Message = { sender: number; lines: string[] }

/** A socket as systemd has it, which Node cannot make. */
async function receiver(t: Test, socket: string) {
  const script = join(import.meta.dirname, 'service-manager/receive.py')
  const python = new Process(t, [script, socket], {}, '/usr/bin/python3')
  await python.line(/^bound$/)
  const messages = (): Message[] => python.lines.slice(1).map((line) => JSON.parse(line))
  const told = async (pattern: RegExp): Promise<Message> => JSON.parse(await python.line(pattern))
  return { messages, told }
}

/** A program that tells less than it should lives on, and would be waited for until the time of the file is over. */
const timeout = 60_000
const loaded = loadAddon()
const beatSkip = 'missing' in loaded && `Left out, because nothing beats: ${loaded.missing}.`
const beats = 'systemd is told of the start, of each beat of the main thread and of the stop'

t.test(beats, { timeout, skip: beatSkip }, async (t) => {
  const socket = `@tollgate-test-${process.pid}`
  const systemd = await receiver(t, socket)
  const dataDir = migratedDataDir()
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = { ...bareEnv, TOLLGATE_DATA_DIR: dataDir, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '100000' }
  const program = new Process(t, ['test/app/fixtures/serve-nothing.ts', 'prompt'], { env })
  await program.line(/"ready"/)
  const ready = await systemd.told(/READY=1/)
  t.strictSame(ready, {
    sender: program.child.pid,
    lines: ['READY=1', `MAINPID=${program.child.pid}`, 'WATCHDOG=1', 'STATUS=Serving.'],
  })
  t.strictSame(systemd.messages()[0]!.lines, ['STATUS=Starting.'])
  t.strictSame((await systemd.told(/\["WATCHDOG=1"\]/)).sender, program.child.pid, 'beats say nothing else')
  program.child.kill('SIGTERM')
  await program.ended
  t.strictSame((await systemd.told(/STOPPING/)).lines, ['STOPPING=1', 'STATUS=Stopping.'])
})

t.test('without the addon systemd-notify tells it, and no beats are waited for', { timeout }, async (t) => {
  const socket = join(emptyFolder(t), 'notify')
  const systemd = await receiver(t, socket)
  const manager = new ServiceManager({ socket, watchdogMs: 100 }, silentLog, () => ({ missing: 'a test' }))
  manager.starting()
  manager.ready('Serving.', () => null)
  manager.stopping('Stopping.')
  await systemd.told(/STOPPING/)
  t.strictSame(
    systemd.messages().flatMap(({ lines }) => lines.filter((line) => line !== 'BARRIER=1')),
    [
      'WATCHDOG_USEC=0',
      'STATUS=Starting.',
      'READY=1',
      `MAINPID=${process.pid}`,
      'STATUS=Serving.',
      'STOPPING=1',
      'STATUS=Stopping.',
    ],
  )
})
