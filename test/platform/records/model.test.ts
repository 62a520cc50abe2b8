import t from 'tap'
import { boolean, key, longText, text } from '../../../src/platform/records/fields.ts'
import { type ModelSpec, modelOf } from '../../../src/platform/records/model.ts'
import { FinType } from '../../../src/platform/storage/entities/accounts.ts'

const spec = (fields: ModelSpec['fields']): ModelSpec => ({
  name: 'FinTypes',
  entity: FinType,
  label: 'fin types',
  audit: 'FIN_TYPES',
  doc: 'A type.',
  fields,
})

t.test('table, key and nullability come from the entity', async (t) => {
  const fields = [key('id', 'type_id'), text('op_name', 'Name.'), longText('op_descr', 'Description.')]
  const model = modelOf(spec(fields))
  t.match(model, { table: 'fin_types', key: 'type_id' })
  t.same(
    model.fields.map(({ name, nullable }) => [name, nullable]),
    [
      ['id', false],
      ['op_name', false],
      ['op_descr', true],
    ],
  )
})

t.test('a field that does not fit its column is noticed before anybody asks for it', async (t) => {
  t.throws(() => modelOf(spec([text('op_nmae', 'Name.')])), { message: /op_nmae of fin_types/ })
  t.throws(() => modelOf(spec([boolean('op_name', 'Name.')])), { message: /op_name of fin_types/ })
  t.doesNotThrow(() => modelOf(spec([boolean('used', 'Used.', { sql: () => 'true' })])))
})
