import fc from 'fast-check'
import t from 'tap'
import { phoneDigits, phoneDigitsSql } from '../../src/domain/contacts.ts'
import { testDatabase } from '../support/database.ts'

t.test('the digits of a phone are the same in SQL', async (t) => {
  const { database } = await testDatabase(t)
  const typed = fc.string({ unit: fc.constantFrom(...'0123456789+-() 78a'), maxLength: 20 })
  const texts = [
    '+7 (900) 123-45-67',
    '8 900 1234567',
    '9001234567',
    '+375 29 123-45-67',
    '89001234567, 12-34',
    '12-34',
    '',
    ...fc.sample(typed, 300),
  ]
  const { rows } = await database.pool.query<{ digits: string }>(
    `SELECT ${phoneDigitsSql('text')} AS digits FROM unnest($1::text[]) WITH ORDINALITY AS typed(text, n) ORDER BY n`,
    [texts],
  )
  t.same(
    rows.map(({ digits }) => digits),
    texts.map(phoneDigits),
  )
})
