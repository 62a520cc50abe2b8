import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'

/** tap's root ends two turns of a timer after it has nothing to do, where something lets it end by itself. */
const idleMs = 200

t.test('a process that waited for its next file runs it, and closes what files share after the last', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-room-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const fileOf = (name: string, source: string): string => {
    const file = join(folder, `${name}.test.ts`)
    writeFileSync(file, source)
    return file
  }
  const first = fileOf(
    'first',
    `import t from 'tap'
    import { atEndOfRoom } from ${JSON.stringify(join(import.meta.dirname, 'end-of-room.ts'))}
    const open = setInterval(() => {}, 1_000)
    atEndOfRoom(async () => { clearInterval(open); process.stdout.write('# closed\\n') })
    t.pass('first')`,
  )
  const next = fileOf('next', `import t from 'tap'\nt.pass('next')`)

  const room = spawn(process.execPath, [join(import.meta.dirname, 'room.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TAP_TIMEOUT: '60' },
  })
  t.teardown(() => room.kill('SIGKILL'))
  let said = ''
  const saysResultOf = async (file: string): Promise<void> => {
    while (!said.includes(`ok ${file === first ? 1 : 2} - ${file}`))
      said += String((await once(room.stdout, 'data'))[0])
  }
  room.stdin.write(`${first}\n`)
  await saysResultOf(first)
  await wait(idleMs)
  room.stdin.write(`${next}\n`)
  await saysResultOf(next)
  t.notMatch(said, /# closed/)
  room.stdin.end()
  room.stdout.on('data', (chunk) => {
    said += String(chunk)
  })
  const [code] = await once(room, 'close')
  t.match(said, /# closed/)
  t.equal(code, 0)
})
