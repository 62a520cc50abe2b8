import t from 'tap'
import { filled, withoutMarkers } from '../../src/domain/wording.ts'

t.test('no client sees a marker for programs or the staff, whatever stands in it', async (t) => {
  const shown = {
    'Оплата [txn:17]': 'Оплата',
    'Оплата [bank_op:5] картой [legacy]': 'Оплата картой',
    'Перенос [legacy 5] [txn=9]': 'Перенос',
    'Скидка [по акции]': 'Скидка [по акции]',
    '[txn:17]': '',
  }
  for (const [description, text] of Object.entries(shown)) t.equal(withoutMarkers(description), text)
})

t.test('a value that ends with a full stop does not get another one', async (t) => {
  t.equal(
    filled('{name}, долг {debt}. Пополните счёт.', { name: 'Иван', debt: '600 руб.' }),
    'Иван, долг 600 руб. Пополните счёт.',
  )
  t.equal(filled('{name}. Долг {debt}', { name: 'Иван', debt: '600 руб.' }), 'Иван. Долг 600 руб.')
})
