import t from 'tap'

/**
 * Runs the test files named on the command line, each as a process of its own, some beside each other, and says what they said as one
 * TAP stream. The `tap` command would do the same under loaders for coverage and mocks, which half of the run would go into.
 */
const jobs = 3
const fileMsMax = 300_000

t.setTimeout(0)
t.jobs = jobs
for (const file of process.argv.slice(2)) {
  void t.spawn(process.execPath, [file], { name: file, timeout: fileMsMax, buffered: true })
}
