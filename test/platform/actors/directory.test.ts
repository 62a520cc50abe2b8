import t from 'tap'
import { ManualClock } from '../../support/manual-clock.ts'
import { until } from '../../support/until.ts'
import { DeadlinePassed, Directory, Stopping } from '../../../src/platform/actors/directory.ts'
import { MailboxFull } from '../../../src/platform/actors/mailbox.ts'

const noon = new Date('2026-11-21T12:00:00Z')

function counters(
  options: Partial<{ waitingMax: number; awakeMax: number; load: (id: number) => Promise<number | null> }> = {},
) {
  const clock = new ManualClock(noon)
  const loads: number[] = []
  const directory = new Directory<number, number>({
    name: 'counter',
    load: async (id) => {
      loads.push(id)
      return options.load ? options.load(id) : 0
    },
    waitingMax: options.waitingMax ?? 100,
    awakeMax: options.awakeMax ?? 100,
    idleMs: 60_000,
    deadlineMs: 5_000,
    clock,
  })
  const add = (id: number, n: number) =>
    directory.ask(id, async (state) => {
      await Promise.resolve()
      return { state: (state ?? 0) + n, result: (state ?? 0) + n }
    })
  return { clock, loads, directory, add }
}

/** A turn that waits until it is let go. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

t.test('turns of one actor run one after another in the order of their messages', async (t) => {
  const { add, loads } = counters()
  const results = await Promise.all([1, 2, 3, 4].map((n) => add(7, n)))
  t.strictSame(results, [1, 3, 6, 10])
  t.strictSame(loads, [7], 'loaded once, by the first message')
})

t.test('a slow actor does not keep another waiting', async (t) => {
  const { directory, add } = counters()
  const { open, opened } = gate()
  const slow = directory.ask(1, async (state) => {
    await opened
    return { state, result: 'slow' }
  })
  t.equal(await add(2, 5), 5)
  open()
  t.equal(await slow, 'slow')
})

t.test('a failed turn rejects its sender, drops the state and lets the next one start', async (t) => {
  const { directory, add, loads } = counters()
  await add(1, 10)
  const failed = directory.ask(1, async () => {
    throw new Error('boom')
  })
  const next = add(1, 1)
  await t.rejects(failed, { message: 'boom' })
  t.equal(await next, 1, 'the state was read from its home again')
  t.strictSame(loads, [1, 1])
})

t.test('a failed load rejects the sender and is tried again by the next message', async (t) => {
  let broken = true
  const { add } = counters({
    load: async () => {
      if (broken) throw new Error('no database')
      return 100
    },
  })
  await t.rejects(add(1, 1), { message: 'no database' })
  broken = false
  t.equal(await add(1, 1), 101)
})

t.test('a full mailbox refuses at once', async (t) => {
  const { directory, add } = counters({ waitingMax: 2 })
  const { open, opened } = gate()
  const running = directory.ask(1, async (state) => {
    await opened
    return { state, result: null }
  })
  const waiting = [add(1, 1), add(1, 1)]
  await t.rejects(add(1, 1), MailboxFull)
  t.equal(directory.waiting, 2)
  open()
  await running
  t.strictSame(await Promise.all(waiting), [1, 2])
})

t.test('a sender waits no longer than the deadline, and the turn still ends', async (t) => {
  const { clock, directory, add } = counters()
  const { open, opened } = gate()
  const late = directory.ask(1, async () => {
    await opened
    return { state: 50, result: null }
  })
  const rejected = t.rejects(late, DeadlinePassed)
  clock.advance(5_000)
  await rejected
  open()
  t.equal(await add(1, 1), 51)
})

t.test('a turn whose sender gave up before it began is not carried out', async (t) => {
  const { clock, directory, add } = counters()
  const { open, opened } = gate()
  const first = directory.ask(1, async () => {
    await opened
    return { state: 50, result: null }
  })
  const rejected = [t.rejects(first, DeadlinePassed), t.rejects(add(1, 7), DeadlinePassed)]
  const both = directory.askBoth(1, 2, async () => ({ one: 0, other: 0, result: t.fail('carried out') }))
  rejected.push(t.rejects(both, DeadlinePassed))
  clock.advance(5_000)
  await Promise.all(rejected)
  open()
  t.equal(await add(1, 1), 51, 'the sender who waits is served, those who left are not')
})

t.test('an idle actor is unloaded and loaded again from its store', async (t) => {
  const { clock, directory, add, loads } = counters()
  await add(1, 1)
  clock.advance(59_000)
  await add(2, 1)
  clock.advance(1_000)
  t.equal(directory.awake, 1, 'only the one that was used a second ago is awake')
  clock.advance(60_000)
  t.equal(directory.awake, 0)
  await add(1, 1)
  t.strictSame(loads, [1, 2, 1])
})

t.test('beyond the bound the longest unused actor is put to sleep', async (t) => {
  const { clock, directory, add, loads } = counters({ awakeMax: 3 })
  for (const id of [1, 2, 3, 4, 5]) {
    await add(id, 1)
    clock.advance(1)
  }
  t.equal(directory.awake, 3)
  t.equal(await add(5, 1), 2)
  t.equal(await add(1, 1), 1)
  t.strictSame(loads, [1, 2, 3, 4, 5, 1])
})

t.test(
  'an actor asked in passing is absent again, unless somebody else has it awake or wants it meanwhile',
  async (t) => {
    const { directory, add, loads } = counters()
    const { open, opened } = gate()
    const pass = (id: number) =>
      directory.askInPassing(id, async (state) => {
        await opened
        return { state: (state ?? 0) + 10, result: (state ?? 0) + 10 }
      })
    await add(1, 1)
    const passing = [pass(1), pass(2), pass(3)]
    const meanwhile = add(3, 1)
    open()
    t.strictSame(await Promise.all(passing), [11, 10, 10])
    t.equal(await meanwhile, 11, 'it has the state that the turn has left')
    t.equal(directory.awake, 2)
    t.strictSame([await add(1, 0), await add(2, 0), await add(3, 0)], [11, 0, 11])
    t.strictSame(loads, [1, 2, 3, 2], 'only the second is loaded again')
    await t.rejects(
      directory.askInPassing(4, () => Promise.reject(new Error('no'))),
      { message: 'no' },
    )
    t.equal(directory.awake, 3)
  },
)

t.test('two turns in passing leave no actor behind, nor do those whose sender has gone', async (t) => {
  const { directory, clock, add } = counters()
  const { open, opened } = gate()
  const pass = () =>
    directory.askInPassing(1, async (state) => {
      await opened
      return { state: (state ?? 0) + 1, result: (state ?? 0) + 1 }
    })
  const late = [pass(), pass(), pass()].map((asked) => t.rejects(asked, DeadlinePassed))
  clock.advance(5_000)
  await Promise.all(late)
  const last = pass()
  directory.follow(1, (state) => (state ?? 0) + 100)
  open()
  t.equal(await last, 2)
  await until(() => directory.awake === 0)
  const both = [pass(), add(1, 1), pass()]
  await Promise.all(both)
  t.equal(directory.awake, 1, 'somebody else has wanted it')
})

t.test('a state that was read is not kept for an actor that has changed and left since', async (t) => {
  const { directory, add, clock } = counters({ load: async () => 7 })
  const keep = directory.beginReading()
  await add(1, 1)
  clock.advance(120_000)
  t.equal(directory.awake, 0)
  keep(1, 0)
  keep(2, 40)
  t.equal(await add(1, 0), 7, 'it is loaded')
  t.equal(await add(2, 0), 40, 'the other one need not be')
  const long = directory.beginReading()
  for (let id = 10; id < 1_020; id++) await directory.askInPassing(id, async (state) => ({ state, result: null }))
  long(3, 40)
  t.equal(await add(3, 0), 7, 'too many have left for it to be known')
})

t.test('a state follows what happened elsewhere, behind the turn or the load that is under way', async (t) => {
  const { open, opened } = gate()
  const { directory, add, loads } = counters({
    load: async () => {
      await opened
      return 10
    },
  })
  directory.follow(1, (state) => (state ?? 0) + 100)
  t.same(loads, [], 'an actor that is not awake does not wake')
  const loaded = add(1, 1)
  directory.follow(1, (state) => (state ?? 0) + 100)
  open()
  t.equal(await loaded, 11)
  t.equal(await add(1, 1), 112)
  let isFollowed = false
  directory.follow(1, (state) => {
    isFollowed = true
    return (state ?? 0) + 100
  })
  t.ok(isFollowed, 'at once where nothing is under way')
  t.equal(await add(1, 0), 212)
  directory.invalidate(1)
  directory.follow(1, (state) => (state ?? 0) + 100)
  t.equal(await add(1, 1), 11, 'one without a state loads it')
})

t.test('an invalidated state is loaded again, also when a turn is under way', async (t) => {
  const { directory, add, loads } = counters()
  const { open, opened } = gate()
  const running = directory.ask(1, async () => {
    await opened
    return { state: 99, result: null }
  })
  await Promise.resolve()
  directory.invalidate(1)
  open()
  await running
  t.equal(await add(1, 1), 1, 'the old turn did not put its state back')
  t.strictSame(loads, [1, 1])
})

t.test(
  'a state that was read with something else is not loaded again, unless something was invalidated meanwhile',
  async (t) => {
    const { directory, add, loads } = counters()
    directory.beginReading()(1, 40)
    t.equal(await add(1, 2), 42)
    t.strictSame(loads, [])

    directory.beginReading()(1, 99)
    t.equal(await add(1, 1), 43, 'who is awake knows better')

    const [ofOne, ofAll] = [directory.beginReading(), directory.beginReading()]
    directory.invalidate(2)
    ofOne(2, 99)
    t.equal(await add(2, 1), 1)
    directory.invalidateAll()
    ofAll(3, 99)
    t.equal(await add(3, 1), 1)
    t.strictSame(loads, [2, 3])

    const late = directory.beginReading()
    await directory.stop()
    late(4, 99)
    t.equal(directory.awake, 0, 'nobody is woken after the stop')
  },
)

t.test('turns of two actors do not wait for each other for ever', async (t) => {
  const { directory, add } = counters({ waitingMax: 1000 })
  const move = (from: number, to: number) =>
    directory.askBoth(from, to, async (a, b) => {
      await Promise.resolve()
      return { one: (a ?? 0) - 1, other: (b ?? 0) + 1, result: [from, to] }
    })
  const moves = []
  for (let i = 0; i < 50; i++) moves.push(move(1, 2), move(2, 1), move(1, 2))
  await Promise.all(moves)
  t.equal(await add(1, 0), -50)
  t.equal(await add(2, 0), 50)
})

t.test('stop refuses new messages and ends the accepted ones', async (t) => {
  const { directory, add } = counters()
  const { open, opened } = gate()
  const running = directory.askBoth(1, 2, async (a, b) => {
    await opened
    return { one: a, other: b, result: 'ended' }
  })
  const waiting = add(1, 1)
  const stopped = directory.stop()
  await t.rejects(add(1, 1), Stopping)
  open()
  t.equal(await running, 'ended')
  t.equal(await waiting, 1)
  await stopped
})
