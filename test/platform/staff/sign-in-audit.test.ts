import t from 'tap'
import { SignInAudit } from '../../../src/platform/staff/sign-in-audit.ts'

t.test('a flood of failures does not fill the audit, and sign-ins are always in it', async (t) => {
  const written: unknown[] = []
  const audit = new SignInAudit({
    query: async (_, values) => {
      written.push(values)
      return { rows: [] }
    },
  })
  const event = { staffId: null, username: 'flood', address: '192.0.2.1', by: 'page' } as const
  const fail = (nowMs: number) => audit.write({ action: 'sign_in_failed', ...event }, nowMs)
  for (let n = 0; n < 150; n++) await fail(59_999)
  t.equal(written.length, 60)
  await audit.write({ action: 'sign_in', ...event }, 59_999)
  t.equal(written.length, 61)
  await fail(60_000)
  t.equal(written.length, 62, 'another minute')
})
