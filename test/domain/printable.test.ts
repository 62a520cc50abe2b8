import t from 'tap'
import { printable } from '../../src/domain/printable.ts'

t.test('what no column or screen can hold is replaced, all else stays', async (t) => {
  t.equal(printable('a\u0000b\u0007c\rd\u0085e'), 'a\ufffdb\ufffdc\ufffdd\ufffde')
  t.equal(printable('x\ud800'), 'x\ufffd')
  t.equal(printable('Иван\n😀 <b>'), 'Иван\n😀 <b>')
})
