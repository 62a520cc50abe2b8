import t from 'tap'
import { type TransactionScope, writing } from '../../src/platform/storage/transactions.ts'
import { Unavailable } from '../../src/platform/unavailable.ts'

t.test('a server that did not answer in time is not asked a second time', async (t) => {
  const asked: string[] = []
  const released: unknown[] = []
  const client = {
    query: async (text: string) => {
      asked.push(text.split(';')[0]!)
      throw new Error('Query read timeout')
    },
    release: (broken: unknown) => released.push(broken),
  }
  const scope = {
    database: { pool: { connect: async () => client } },
    timeZone: () => 'UTC',
  } as unknown as TransactionScope
  await t.rejects(
    writing(scope, async () => 1),
    Unavailable,
  )
  t.same(asked, ['BEGIN'])
  t.same(released, [true], 'and its connection is given up')
})
