import t from 'tap'
import { closingWords, TapReader, together } from './report.ts'

const run = `TAP version 14
# Subtest: test/a.test.ts
    # Subtest: outer
        # Subtest: inner
            not ok 1 - one is two
              ---
              compare: ===
              ...
            ok 2 - fine
            ok 3 - rejects as it should # time=0.5ms
            1..3
            # the page was empty
        not ok 1 - inner # time=1.5ms
    not ok 1 - outer # time=2ms
    not ok 2 - by itself
    1..2
not ok 1 - test/a.test.ts # time=2500ms
# Subtest: test/b.test.ts
    # nothing is wrong
    ok 1 - fine
    1..1
ok 2 - test/b.test.ts # time=3000ms
not ok 3 - test/c.test.ts # time=1ms
1..3
# { total: 7, pass: 2, fail: 5 }
`
const files = ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts']

t.test('a run is told in counts, failures with what holds them, and seconds', async (t) => {
  const told: string[] = []
  const reader = new TapReader(files, (file, lines) => told.push(`${file} ${lines.length}`))
  // As it comes from a pipe, cut anywhere.
  for (let at = 0; at < run.length; at += 7) reader.read(run.slice(at, at + 7))
  const report = reader.report('status 1')
  t.match(report, { passed: 3, failed: 3 })
  t.strictSame(
    report.failures.map(({ title, detail }) => [title, ...detail.map((line) => line.trim())]),
    [
      ['test/a.test.ts: outer > inner > one is two', 'compare: ===', '# the page was empty'],
      ['test/a.test.ts: by itself'],
      ['test/c.test.ts: ended badly'],
    ],
  )
  t.strictSame(told, ['test/a.test.ts 16', 'test/b.test.ts 5', 'test/c.test.ts 1'], 'the lines of a file come together')
  t.equal(closingWords(report)[0], 'Slowest: 3.0 s test/b.test.ts, 2.5 s test/a.test.ts, 0.0 s test/c.test.ts')
  t.match(together([report, report]), { passed: 6, failed: 6 })
})

t.test(
  'a process that broke has failed with all files that it was given and had not ended, whatever it counted',
  async (t) => {
    t.equal(new TapReader(files).report('signal SIGKILL').failed, 3)
    const broken = new TapReader(files.slice(0, 1))
    for (const file of files.slice(1)) broken.expect(file)
    broken.read(run.slice(0, run.indexOf('not ok 1 - inner')))
    t.strictSame(
      broken.report('signal SIGSEGV').failures.map(({ title }) => title),
      [
        'test/a.test.ts: outer > inner > one is two',
        ...files.map((file) => `${file}: its process ended before its result (signal SIGSEGV)`),
      ],
    )
    const reader = new TapReader(['test/a.test.ts'])
    reader.read('ok 1 - test/a.test.ts # time=1ms\n1..1\n')
    t.equal(reader.report(null).failed, 0)
    t.equal(reader.report('status 7').failed, 1)
  },
)
