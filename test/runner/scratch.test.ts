import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scratchFolder } from './scratch.ts'

/** Larger than any process id of Linux. */
const nobody = 4_194_305

t.test('folders of runs that were killed go, and one in which something is mounted holds up nobody', async (t) => {
  const parent = t.testdir({ [`tollgate-run-${nobody}-gone`]: { file: '' }, other: {} })
  const busy = join(parent, `tollgate-run-${nobody}-busy`, 'spool')
  mkdirSync(busy, { recursive: true })
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tollgate-test', busy]).status === 0
  writeFileSync(join(busy, 'file'), '')
  try {
    const folder = scratchFolder(parent)
    t.ok(existsSync(folder))
    t.notOk(existsSync(join(parent, `tollgate-run-${nobody}-gone`)))
    t.ok(existsSync(join(parent, 'other')))
    t.equal(existsSync(busy), isMounted)
  } finally {
    // Before the folder of the test is removed.
    if (isMounted) spawnSync('umount', [busy])
  }
})
