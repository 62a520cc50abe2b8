import t from 'tap'
import { roomsOf } from './rooms.ts'

const files = ['test/a/1.test.ts', 'test/a/2.test.ts', 'test/b/1.test.ts', 'test/b/alone.test.ts']
const isAlone = (file: string) => file.includes('alone')

t.test('files of a folder share a process, the slowest room comes first, and who wants one alone has it', async (t) => {
  const seconds: Record<string, number> = { 'test/b/alone.test.ts': 9, 'test/b/1.test.ts': 1 }
  t.strictSame(roomsOf(files, { isAlone, secondsOf: (file) => seconds[file] }), [
    { files: ['test/b/alone.test.ts'], seconds: 9 },
    { files: ['test/a/1.test.ts', 'test/a/2.test.ts'], seconds: 4 },
    { files: ['test/b/1.test.ts'], seconds: 1 },
  ])
})

t.test('a large folder is several rooms of much the same size, each file in one of them', async (t) => {
  const many = Array.from({ length: 25 }, (_, n) => `test/a/${n}.test.ts`)
  const rooms = roomsOf(many, { isAlone, secondsOf: () => undefined })
  t.strictSame(
    rooms.map(({ files }) => files.length),
    [9, 9, 7],
  )
  t.strictSame(rooms.flatMap(({ files }) => files).sort(), many.sort())
})
