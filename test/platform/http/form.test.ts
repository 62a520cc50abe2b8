import fc from 'fast-check'
import t from 'tap'
import { parseForm, readFields, unescaped } from '../../../src/platform/http/form.ts'

const call = (contentType: string, body: string) => ({
  body: Buffer.from(body),
  header: (name: string) => (name === 'content-type' ? contentType : ''),
})

t.test('a form and a JSON object are read as the same fields', async (t) => {
  const form = readFields(
    call('application/x-www-form-urlencoded; charset=UTF-8', 'name=%D0%98%D0%B2%D0%B0%D0%BD&a=1&a=2&x+y=%zz'),
  )
  t.same(form, { kind: 'fields', fields: { name: 'Иван', a: '2', 'x y': '%zz' } })
  t.same(readFields(call('application/json', '{"name":"Иван","a":2}')), {
    kind: 'fields',
    fields: { name: 'Иван', a: 2 },
  })
  t.same(readFields(call('', '')), { kind: 'fields', fields: {} }, 'an empty body has no fields')
})

t.test('what is neither is refused with the status of its fault', async (t) => {
  t.match(readFields(call('text/plain', 'a=1')), { kind: 'refused', status: 415 })
  t.match(readFields(call('application/json', '[1]')), { kind: 'refused', status: 400 })
  t.match(readFields(call('application/json', '{')), { kind: 'refused', status: 400, detail: /^JSON parse error/ })
})

t.test('a form of too many fields is refused', async (t) => {
  t.equal(parseForm(Buffer.from('a&'.repeat(5000))), null)
  t.match(readFields(call('application/x-www-form-urlencoded', 'a&'.repeat(5000))), { kind: 'refused', status: 400 })
})

t.test('a field called __proto__ does not become a prototype', async (t) => {
  const read = readFields(call('application/x-www-form-urlencoded', '__proto__=x&a=1'))
  t.same(read, { kind: 'fields', fields: { a: '1' } })
})

t.test('any form is read as URLSearchParams reads it', async (t) => {
  const piece = fc.constantFrom('a', '=', '&', '+', '%', '%4', '%41', '%d1%8f', '%ff', '%zz', ' ')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      t.strictSame(parseForm(Buffer.from(text)), [...new URLSearchParams(text)])
    }),
    { numRuns: 300 },
  )
  t.same(parseForm(Buffer.from('я%41=😀%42')), [['яA', '😀B']], 'also what is not escaped')
  t.equal(unescaped(Buffer.from('%c8%e2')).toString('latin1'), '\xc8\xe2', 'bytes of any encoding')
})
