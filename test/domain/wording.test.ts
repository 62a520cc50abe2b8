import t from 'tap'
import { withoutMarkers } from '../../src/domain/wording.ts'

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
