import fc from 'fast-check'
import t from 'tap'
import { type Json, openDoors } from './door.ts'

/** Whatever is typed is looked for as it is typed: no sign of it is one of LIKE, of an expression or of a number. */
const doors = await openDoors(t)
const found = async (q: string): Promise<Json[]> => {
  const { status, body } = await doors.get(`/admin/search/?${new URLSearchParams({ q, limit: '20' })}`)
  if (status !== 200) throw new Error(`${q}: ${status}`)
  return body.groups
}

const sign = fc.constantFrom(...'%_\\\'"-.,/()[]*+?$^|#№:@ёЁжЖAaz019 ', '😀', 'ß')
const typed = fc.string({ unit: sign, minLength: 1, maxLength: 40 })

t.test('a subscriber is found by the name, of whatever signs it is', async (t) => {
  const names = fc.sample(
    fc.array(fc.string({ unit: sign, minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
    { numRuns: 40, seed: 3 },
  )
  for (const [n, words] of names.entries()) {
    const name = `Найденный ${words.join(' ')}`
    const { body } = await doors.post('/rest_api/v2/Abonents/', { name, contract_number: `fuzz-${n}` })
    const subscribers = (await found(name)).find(({ kind }) => kind === 'subscriber')
    t.ok(
      subscribers?.items.some(({ id }: Json) => id === body.id),
      name,
    )
  }
  t.same(await found('Найденн%'), [])
  const titles = (await found('%')).flatMap(({ items }) => items.map(({ title }: Json) => title))
  t.ok(
    titles.every((title) => title.includes('%')),
    `${titles}`,
  )
})

t.test('any text is a question', async () => {
  await fc.assert(
    fc.asyncProperty(typed, async (q) => {
      await found(q)
    }),
    { numRuns: 150, seed: 4 },
  )
})
