import { appendFile, mkdtemp, open, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Spool } from '../../../src/network/radius/accounting/spool.ts'
import { silentLog } from '../../../src/platform/log.ts'

const frame = (text: string) => Buffer.from(text)
const texts = (frames: readonly Buffer[]) => frames.map((one) => one.toString())

async function newFolder(test: { teardown(deed: () => unknown): unknown }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-spool-'))
  test.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

t.test('frames come back in order, until they are confirmed', async (t) => {
  const spool = await Spool.open(await newFolder(t), silentLog)
  t.equal(spool.isEmpty, true)
  await spool.append([frame('a'), frame('b')])
  await spool.append([frame('c')])
  t.same(texts(await spool.read(2)), ['a', 'b'])
  t.same(texts(await spool.read(2)), ['a', 'b'])
  await spool.confirm(2)
  t.same(texts(await spool.read(2)), ['c'])
  await spool.confirm(1)
  t.equal(spool.isEmpty, true)
  t.equal(spool.bytes, 0)
})

t.test('records that arrive while the head is read are appended after it', async (t) => {
  const spool = await Spool.open(await newFolder(t), silentLog)
  await spool.append([frame('a'), frame('b')])
  await spool.read(1)
  await spool.append([frame('c')])
  await spool.confirm(1)
  t.same(texts(await spool.read(10)), ['b'])
  await spool.confirm(1)
  t.same(texts(await spool.read(10)), ['c'])
})

t.test('another run finds what the first left, in many segments', async (t) => {
  const folder = await newFolder(t)
  const first = await Spool.open(folder, silentLog, 64)
  for (let i = 0; i < 20; i++) await first.append([frame(`record ${i}`)])
  t.ok((await readdir(folder)).length > 3)
  // No close: the first run was killed.
  const second = await Spool.open(folder, silentLog, 64)
  await second.append([frame('record 20')])
  const read: string[] = []
  for (;;) {
    const frames = await second.read(3)
    if (frames.length === 0) break
    read.push(...texts(frames))
    await second.confirm(frames.length)
  }
  t.same(
    read,
    Array.from({ length: 21 }, (_, i) => `record ${i}`),
  )
  t.same(await readdir(folder), [])
})

t.test('a torn tail loses nothing that was acknowledged', async (t) => {
  const folder = await newFolder(t)
  const first = await Spool.open(folder, silentLog)
  await first.append([frame('whole'), frame('also whole')])
  await first.close()
  const [name] = await readdir(folder)
  await appendFile(join(folder, name!), Buffer.from([200, 0, 0, 0, 1, 2, 3, 4, 5]))
  const second = await Spool.open(folder, silentLog)
  t.same(texts(await second.read(10)), ['whole', 'also whole'])
  await second.confirm(2)
  t.equal(second.isEmpty, true)
  t.same(await readdir(folder), [`${name}.damaged`], 'the tail is kept for a human')
})

t.test('a record whose bytes rotted is not believed, and a cut one neither', async (t) => {
  const folder = await newFolder(t)
  const first = await Spool.open(folder, silentLog)
  await first.append([frame('first'), frame('second')])
  await first.close()
  const [name] = await readdir(folder)
  const path = join(folder, name!)
  const file = await open(path, 'r+')
  await file.write('X', 8 + 5 + 8)
  await file.close()
  t.same(texts(await (await Spool.open(folder, silentLog)).read(10)), ['first'])
  await truncate(path, (await stat(path)).size - 1)
  t.same(texts(await (await Spool.open(folder, silentLog)).read(10)), ['first'])
})

t.test('a batch that cannot be written is refused and never read', async (t) => {
  const folder = await newFolder(t)
  const spool = await Spool.open(folder, silentLog)
  await rm(folder, { recursive: true })
  await writeFile(folder, 'not a folder')
  await t.rejects(spool.append([frame('a')]))
  t.equal(spool.isEmpty, true)
  await rm(folder)
})
