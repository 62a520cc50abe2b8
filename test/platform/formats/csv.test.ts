import t from 'tap'
import { csvLine, plainText } from '../../../src/platform/formats/csv.ts'

t.test('a line quotes what needs quotes', async (t) => {
  t.equal(
    csvLine(['a', 1, 2n, true, null, 'x;y', 'say "hi"', ' edge', 'two\nlines']),
    'a;1;2;true;;"x;y";"say ""hi""";" edge";"two\nlines"\r\n',
  )
})

t.test('a text is no formula, a number stays one', async (t) => {
  for (const text of ['=1+1', '@SUM(A1)', '+cmd|x', '-2+3', '\t=1', '\r=1', '\n=1', '＝1', '＠A', '-'])
    t.equal(plainText(text), `'${text}`, JSON.stringify(text))
  for (const text of ['-12.50', '+79001234567', '-1,5', 'Иванов', '', ' =1', "'=1"])
    t.equal(plainText(text), text, text)
  t.equal(csvLine(['=1+1', -1, null]), "'=1+1;-1;\r\n", 'in every file')
})
