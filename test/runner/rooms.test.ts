import { existsSync } from 'node:fs'
import t from 'tap'
import { usualSeconds } from './durations.ts'
import { browsersFor, type FileTraits, type Room, Rooms } from './rooms.ts'

const ordinary: FileTraits = {
  isAlone: () => false,
  changesNetwork: () => false,
  hasBrowser: () => false,
  secondsOf: () => undefined,
  browsers: 2,
}

const filesOf = (room: Room): string[] => {
  const all: string[] = []
  for (let file = room(); file !== null; file = room()) all.push(file)
  return all
}

t.test('the slowest file comes first, and who wants a process alone has it', async (t) => {
  const seconds: Record<string, number> = { 'slow.ts': 9, 'quick.ts': 1, 'alone.ts': 3, 'quick-alone.ts': 1 }
  const rooms = new Rooms(['quick.ts', 'unknown.ts', 'slow.ts', 'quick-alone.ts', 'alone.ts'], {
    ...ordinary,
    isAlone: (file) => file.includes('alone'),
    secondsOf: (file) => seconds[file],
  })
  t.strictSame(filesOf(rooms.open()!), ['alone.ts'])
  t.strictSame(filesOf(rooms.open()!), ['quick-alone.ts'])
  t.strictSame(filesOf(rooms.open()!), ['slow.ts', 'unknown.ts', 'quick.ts'])
  t.equal(rooms.open(), null)
})

t.test('processes take files as they come to them, each file once, and none runs too many', async (t) => {
  const many = Array.from({ length: 250 }, (_, n) => `${n}.ts`)
  const rooms = new Rooms(many, ordinary)
  const [one, other] = [rooms.open()!, rooms.open()!]
  const taken = [one(), other(), one()]
  t.strictSame(taken, ['0.ts', '1.ts', '2.ts'])
  const rest = [one, other].map((room) => filesOf(room).length)
  t.strictSame(rest, [118, 119])
  t.equal(filesOf(rooms.open()!).length, 10)
  t.equal(rooms.open(), null)
})

t.test('files that change the network come first, and a browser waits until they are through', async (t) => {
  const rooms = new Rooms(['browser.ts', 'plain-1.ts', 'plain-2.ts', 'network-1.ts', 'network-2.ts', 'browser-2.ts'], {
    ...ordinary,
    changesNetwork: (file) => file.includes('network'),
    hasBrowser: (file) => file.includes('browser'),
  })
  const [one, other] = [rooms.open()!, rooms.open()!]
  t.strictSame([one(), other()], ['network-1.ts', 'network-2.ts'])
  t.strictSame([one(), one()], ['plain-1.ts', 'plain-2.ts'])
  t.equal(one(), 'browser.ts', 'the other has not ended, and nothing else is left')
  t.equal(other(), 'browser-2.ts')
  t.strictSame([one(), other()], [null, null])
})

t.test('a browser starts at once when nothing changes the network any more, before slower files', async (t) => {
  const rooms = new Rooms(['network.ts', 'plain-1.ts', 'plain-2.ts', 'browser.ts'], {
    ...ordinary,
    changesNetwork: (file) => file === 'network.ts',
    hasBrowser: (file) => file === 'browser.ts',
    secondsOf: (file) => (file === 'browser.ts' ? 1 : 50),
  })
  const [one, other] = [rooms.open()!, rooms.open()!]
  t.strictSame([one(), other()], ['network.ts', 'plain-1.ts'])
  t.strictSame([one(), other()], ['browser.ts', 'plain-2.ts'])
})

t.test('a process that has a browser takes the files for it, and the others do without', async (t) => {
  const files = [
    'browser-1.ts',
    'plain-1.ts',
    'browser-2.ts',
    'plain-2.ts',
    'browser-3.ts',
    'plain-3.ts',
    'browser-4.ts',
  ]
  const traits = { ...ordinary, hasBrowser: (file: string) => file.includes('browser') }
  const rooms = new Rooms(files, { ...traits, browsers: 1 })
  const [one, other] = [rooms.open()!, rooms.open()!]
  t.strictSame([one(), other()], ['browser-1.ts', 'plain-1.ts'])
  t.strictSame([one(), one()], ['browser-2.ts', 'browser-3.ts'])
  t.strictSame([other(), other()], ['plain-2.ts', 'plain-3.ts'])
  t.equal(other(), 'browser-4.ts', 'nothing else is left')
  t.strictSame([one(), other()], [null, null])

  const several = new Rooms(files, { ...traits, browsers: 2 })
  t.strictSame(
    [several.open()!(), several.open()!(), several.open()!()],
    ['browser-1.ts', 'browser-2.ts', 'plain-1.ts'],
  )
})

t.test('one browser works beside two cores, and more where there are more', async (t) => {
  t.strictSame([1, 2, 3, 4, 16].map(browsersFor), [1, 1, 1, 2, 8])
})

t.test('the files that are known to take long are there', async (t) => {
  t.strictSame(
    Object.keys(usualSeconds).filter((file) => !existsSync(file)),
    [],
  )
})
