import t from 'tap'

/**
 * Runs the test files named on the command line, each as a process of its own, some beside each other, and says what they said as one
 * TAP stream. The `tap` command would do the same under loaders for coverage and mocks, which half of the run would go into.
 */
const jobs = 3
const fileSeconds = 300
/** A file that cannot even tell that its time is over is ended a little later. */
const graceSeconds = 10

t.setTimeout(0)
t.jobs = jobs
const env = { ...process.env, TAP_TIMEOUT: String(fileSeconds) }
for (const file of process.argv.slice(2)) {
  void t.spawn(process.execPath, [file], {
    name: file,
    env,
    timeout: (fileSeconds + graceSeconds) * 1_000,
    buffered: true,
  })
}
