import { spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { on, once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { loadAddon } from '../../../../src/network/radius/udp/addon.ts'
import type { UdpPreference } from '../../../../src/network/radius/udp/open-port.ts'
import { ReadingTimes } from '../../../../src/platform/actors/reading-times.ts'
import { steadyMs } from '../../../../src/platform/actors/day-time.ts'
import { until } from '../../../support/until.ts'

const loaded = loadAddon()
const skip = 'missing' in loaded && `Left out: ${loaded.missing}.`

type Told = { readonly text: string; readonly arrivedMs: number }

/** Another process with a port, which stops for longer than a program does that has much to do. */
async function stoppedReader(t: { teardown(deed: () => unknown): unknown }, way: UdpPreference, host = '127.0.0.1') {
  const file = new URL('./stopped-reader.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [file, way, host], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  t.teardown(() => child.kill('SIGKILL'))
  const messages = on(child, 'message')
  const next = async <Message>(): Promise<Message> => (await messages.next()).value[0] as Message
  const number = await next<number>()
  const stop = async () => {
    child.kill('SIGSTOP')
    await until(() => readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T '))
  }
  return { number, stop, goOn: () => child.kill('SIGCONT'), next: () => next<Told>() }
}

/** Between which moments it came into the socket of the other process. */
async function sent(text: string, port: number): Promise<{ text: string; fromMs: number; toMs: number }> {
  const socket = createSocket('udp4')
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const fromMs = steadyMs()
  await new Promise((resolve) => socket.send(text, resolve))
  const toMs = steadyMs()
  socket.close()
  return { text, fromMs, toMs }
}

/** The two clocks are read one after another. */
const apartMs = 1

for (const { way, host, frozenMs } of [
  { way: 'auto', host: '127.0.0.1', frozenMs: 300 },
  { way: 'auto', host: '::', frozenMs: 300 },
  { way: 'dgram', host: '127.0.0.1', frozenMs: 2_300 },
] as const)
  t.test(
    `what a stopped process finds in its socket says when it came (${way}, ${host})`,
    { skip: way === 'auto' && skip },
    async (t) => {
      const reader = await stoppedReader(t, way, host)
      const before = await sent('before', reader.number)
      const first = await reader.next()
      await reader.stop()
      const early = await sent('early', reader.number)
      await setTimeout(frozenMs)
      // More than one batch.
      const late: Awaited<ReturnType<typeof sent>>[] = []
      for (let number = 0; number < 70; number++) late.push(await sent(`late ${number}`, reader.number))
      reader.goOn()
      const told = [first, ...(await Promise.all([early, ...late].map(() => reader.next())))]
      for (const [index, { text, fromMs, toMs }] of [before, early, ...late].entries()) {
        t.equal(told[index]!.text, text)
        if (way === 'auto')
          t.ok(told[index]!.arrivedMs > fromMs - apartMs && told[index]!.arrivedMs < toMs + apartMs, text)
        else if (index > 0) t.ok(told[index]!.arrivedMs < early.toMs, `${text} is taken for as old as it may be`)
      }
      const isNew = async () => {
        const after = await sent('after', reader.number)
        return (await reader.next()).arrivedMs > after.fromMs - apartMs
      }
      if (way === 'auto') t.ok(await isNew(), 'and what comes later is new again')
      else await until(isNew)
    },
  )

t.test('without stamps of the kernel what is read after a standstill counts from its beginning', async (t) => {
  const times = new ReadingTimes()
  t.teardown(() => times.stop())
  const beganMs = steadyMs()
  const arrivedBy = (ms: number) => Math.round(times.arrivedBy(beganMs + ms) - beganMs)
  const look = (...ms: number[]) => {
    for (const one of ms) times.look(beganMs + one)
  }
  t.strictSame([100, 2_000, 4_001, 4_400].map(arrivedBy), [100, 2_000, 2_000, 2_000])
  look(4_500, 5_000)
  t.equal(arrivedBy(5_900), 2_000, 'however long its next turns take')
  look(6_000)
  t.strictSame([6_001, 6_100].map(arrivedBy), [6_001, 6_100])
  const hasWaited = (readMs: number, nowMs: number) => times.hasWaited(beganMs + readMs, beganMs + nowMs)
  t.notOk(hasWaited(6_100, 7_900))
  t.ok(hasWaited(7_950, 10_000), 'read before it stood still, and not begun')
  look(10_100, 10_200)
  t.ok(hasWaited(10_250, 10_250), 'read right after it')
  look(10_300)
  t.ok(hasWaited(10_250, 10_400))
  t.notOk(hasWaited(10_350, 10_400))
})

/** What arrival-times.h makes of stamps, in a program of its own. */
function arrivals(cases: readonly { stamp: number; now: number; ahead: number; aheadBefore: number }[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-arrivals-'))
  try {
    const [source, program] = [join(folder, 'main.c'), join(folder, 'main')]
    const header = new URL('../../../../src/network/radius/udp/arrival-times.h', import.meta.url).pathname
    writeFileSync(
      source,
      `#define _GNU_SOURCE
      #include <stdio.h>
      #include "${header}"
      int main(void) {
        long long stamp, now, ahead, before;
        while (scanf("%lld %lld %lld %lld", &stamp, &now, &ahead, &before) == 4) {
          Arrivals arrivals = {.ahead = ahead, .ahead_before = before, .now = now};
          printf("%lld\\n", (long long)arrival_by(&arrivals, stamp));
        }
      }`,
    )
    const compiled = spawnSync('gcc', ['-Wno-unused-function', '-o', program, source], { encoding: 'utf8' })
    if (compiled.status !== 0) throw new Error(compiled.stderr)
    const input = cases.map((one) => `${one.stamp} ${one.now} ${one.ahead} ${one.aheadBefore}`).join('\n')
    return spawnSync(program, { input, encoding: 'utf8' }).stdout.trim().split('\n').map(Number)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

t.test('a clock that is set while datagrams wait makes none older than it is', { skip }, async (t) => {
  const cases = fc
    .sample(
      fc.record({
        arrived: fc.integer({ min: 0, max: 1_000_000 }),
        waited: fc.integer({ min: 0, max: 1_000_000 }),
        setBy: fc.oneof(fc.constant(0), fc.integer({ min: -20_000_000, max: 20_000_000 })),
        isBefore: fc.boolean(),
      }),
      5_000,
    )
    .map(({ arrived, waited, setBy, isBefore }) => {
      const [aheadBefore, ahead] = [1_000_000_000, 1_000_000_000 + setBy]
      const now = arrived + waited
      return { arrived, now, setBy, isBefore, ahead, aheadBefore, stamp: arrived + (isBefore ? aheadBefore : ahead) }
    })
  const wrong = arrivals(cases).map((told, index) => {
    const { arrived, now, setBy } = cases[index]!
    // Set by less than a datagram waited, it cannot be told from one that arrived later.
    const isSure = setBy === 0 || Math.abs(setBy) > now - arrived
    return isSure ? told !== arrived : told < arrived || told > now
  })
  t.equal(wrong.length, cases.length)
  t.strictSame(
    cases.filter((_, index) => wrong[index]),
    [],
  )
})
