import t from 'tap'

/** It is a script of browsers, so its types are not those of this program. */
const { ask } = (await import(new URL('../../src/console/api/client.ts', import.meta.url).href)) as {
  ask(door: string): Promise<object>
}

/** Answers that it is not ready until so many have asked; the pauses between, and what the server is asked for. */
async function asked(count: number, hidden = false) {
  const pauses: number[] = []
  const prefers: string[] = []
  const world = globalThis as unknown as Record<string, unknown>
  const { fetch, setTimeout } = world
  world.document = { hidden, cookie: '', addEventListener: () => {}, removeEventListener: () => {} }
  world.fetch = async (_: string, { headers }: { headers: Record<string, string> }) => {
    prefers.push(headers.Prefer ?? '')
    return Response.json({ ok: true }, { status: prefers.length > count ? 200 : 202 })
  }
  world.setTimeout = (run: () => void, ms: number) => {
    pauses.push(ms)
    queueMicrotask(run)
    return 0
  }
  try {
    await ask('GET /admin/me/')
  } finally {
    Object.assign(world, { fetch, setTimeout })
    delete world.document
  }
  return { pauses, prefers }
}

t.test('what is not ready is asked for again, at first soon and then less often', async (t) => {
  const { pauses, prefers } = await asked(8)
  t.same(pauses, [10, 20, 40, 80, 160, 320, 320, 320])
  t.equal(new Set(prefers).size, 1, 'all of it is one question')
  t.match(prefers[0], /^respond-async; id=\w+$/)
})

t.test('in a hidden tab, whose timers are slow, the server waits', async (t) => {
  const { pauses, prefers } = await asked(2, true)
  t.same(pauses, [])
  t.match(prefers[2], /^respond-async; id=\w+, wait=10$/)
})
