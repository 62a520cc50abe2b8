import t from 'tap'
import { RunReader } from '../support/run-report.ts'

const run = `TAP version 14
# Subtest: test/a.test.ts
    # Subtest: outer
        # Subtest: inner
            not ok 1 - one is two
              ---
              compare: ===
              ...
            ok 2 - fine
            1..2
        not ok 1 - inner # time=1.5ms
    not ok 1 - outer # time=2ms
    not ok 2 - by itself
    1..2
not ok 1 - test/a.test.ts # time=2500ms
# Subtest: test/b.test.ts
    ok 1 - fine
    1..1
ok 2 - test/b.test.ts # time=3000ms
not ok 3 - test/c.test.ts # time=1ms
1..3
# { total: 7, pass: 2, fail: 5 }
`

t.test('a run is told in counts, failures with what holds them, and seconds', async (t) => {
  const reader = new RunReader()
  // As it comes from a pipe, cut anywhere.
  for (let at = 0; at < run.length; at += 7) reader.read(run.slice(at, at + 7))
  const report = reader.report(1)
  t.match(report, { passed: 2, failed: 5 })
  t.strictSame(
    report.failures.map(({ title, detail }) => [title, ...detail.map((line) => line.trim())]),
    [
      ['test/a.test.ts: outer > inner > one is two', 'compare: ==='],
      ['test/a.test.ts: by itself'],
      ['test/c.test.ts: ended badly'],
    ],
  )
  t.strictSame(report.slowest[0], { file: 'test/b.test.ts', seconds: 3 })
})

t.test('a run that broke has failed, whatever it counted', async (t) => {
  t.equal(new RunReader().report(0).failed, 1)
  const reader = new RunReader()
  reader.read('ok 1 - test/a.test.ts # time=1ms\n# { total: 1, pass: 1 }\n')
  t.equal(reader.report(0).failed, 0)
  t.equal(reader.report(7).failed, 1)
})
