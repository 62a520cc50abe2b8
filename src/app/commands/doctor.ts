import { defineCommand } from './command.ts'

const details = `Looks at ports and rights, limits, disk, key and certificate of this machine, at the running program, at the settings of a
PostgreSQL of your own, and at what the tables tell: NAS that never spoke, the proof of the ledger, jobs, messages, payments.
Each line says what was found and what to do. Changes nothing; may run beside the program.

Exit status 1 when something fails, 0 when nothing worse than a warning was found.`

const marks = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const

export default defineCommand({
  about: 'Looks for what operators get wrong, and says what to do about it.',
  details,
  options: {
    json: { type: 'boolean', about: 'Print one JSON object: {ok, checks: [{name, state, sentence}]}' },
  },
  async run({ json }, context) {
    const { examine } = await import('../doctor/doctor.ts')
    const checks = await examine(context)
    const failed = checks.filter(({ state }) => state === 'fail').length
    const warned = checks.filter(({ state }) => state === 'warn').length
    const told = checks.map(({ name, state, sentence }) => ({ name, state, sentence }))
    if (json) context.print(JSON.stringify({ ok: failed === 0, checks: told }, null, 2))
    else {
      for (const { name, state, sentence } of checks) context.print(`${marks[state]}  ${name}: ${sentence}`)
      context.print(`${checks.length} checks: ${failed} failed, ${warned} with a warning.`)
    }
    return failed === 0 ? 0 : 1
  },
})
