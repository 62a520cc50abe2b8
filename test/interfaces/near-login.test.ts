import t from 'tap'
import { isNearLogin } from '../../src/interfaces/admin/subscribers/why/near.ts'

t.test('a login that somebody may have meant', (t) => {
  for (const asked of ['ivanov', 'IVANOV', ' ivanov', 'ivanov@isp.ru', 'ISP\\ivanov', 'isp/ivanov'])
    t.ok(isNearLogin(asked, 'ivanov'), asked)
  for (const asked of ['ivanv', 'ivanoov', 'ivamov', 'ivaonv', 'vanov', 'ivanovv'])
    t.ok(isNearLogin(asked, 'ivanov'), asked)
  t.end()
})

t.test('another one', (t) => {
  for (const asked of ['petrov', 'ivan', 'ivanovna', 'iavnvo', '', '@isp.ru'])
    t.notOk(isNearLogin(asked, 'ivanov'), asked)
  t.notOk(isNearLogin('ab1', 'ab2'), 'short ones are all much alike')
  t.notOk(isNearLogin('', ''))
  t.end()
})
