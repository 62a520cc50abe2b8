import t from 'tap'
import {
  buildReport,
  metaIssues,
  readReportTypes,
  requiredFields,
  type SormAttribute,
  SormReportBuilderError,
} from '../../src/domain/sorm.ts'

const attribute = (id: number, fields: Partial<SormAttribute> = {}): SormAttribute => ({
  id,
  name: `field ${id}`,
  isSorm: true,
  fieldCode: `code_${id}`,
  reportTypes: ['ABONENT'],
  isRequired: false,
  ...fields,
})

t.test('codes that are missing, wrong or repeated in one report are issues', async (t) => {
  const attributes = [
    attribute(1),
    attribute(2, { fieldCode: '' }),
    attribute(3, { fieldCode: '2fast' }),
    attribute(4, { fieldCode: 'INN' }),
    attribute(5, { fieldCode: 'inn', reportTypes: ['ABONENT', 'ABONENT_LEGAL'] }),
    attribute(6, { fieldCode: 'inn', reportTypes: ['ABONENT_LEGAL'] }),
    attribute(7, { fieldCode: 'inn', reportTypes: ['ABONENT_IDENT'] }),
    attribute(8, { fieldCode: 'Wrong', isSorm: false }),
  ]
  t.match(metaIssues(attributes), [
    { kind: 'missing_field_code', attribute_id: 2, attribute_name: 'field 2', message: /no field code/ },
    { kind: 'invalid_field_code', attribute_id: 3, message: /2fast/ },
    { kind: 'invalid_field_code', attribute_id: 4 },
    {
      kind: 'duplicate_field_code',
      report_type: 'ABONENT_LEGAL',
      sorm_field_code: 'inn',
      attribute_ids: [5, 6],
      attribute_names: ['field 5', 'field 6'],
    },
  ])
  t.equal(metaIssues(attributes).length, 4)
  t.strictSame(metaIssues([attribute(1)]), [])
})

t.test('a required value is missed only in whom it can have', async (t) => {
  const legal = attribute(1, { isRequired: true, reportTypes: ['ABONENT_LEGAL', 'ABONENT'] })
  const passport = attribute(2, { isRequired: true, fieldCode: 'passport_series_number' })
  const fields = requiredFields([legal, passport, attribute(3), attribute(4, { isRequired: true, fieldCode: '' })])
  t.match(fields, [
    { reportType: 'ABONENT_LEGAL', audience: { companies: true, people: false } },
    { reportType: 'ABONENT', audience: { companies: true, people: true } },
    { reportType: 'ABONENT', audience: { companies: false, people: true } },
  ])
  t.equal(fields.length, 3)
})

t.test('a report has a column for each of its attributes, or the reason why it cannot be built', async (t) => {
  const report = buildReport('ABONENT_LEGAL', [
    attribute(1),
    attribute(2, { reportTypes: ['ABONENT_LEGAL'], fieldCode: 'inn' }),
    attribute(3, { reportTypes: ['ABONENT_LEGAL'], isSorm: false }),
  ])
  t.strictSame(report, {
    type: 'ABONENT_LEGAL',
    columns: [{ code: 'inn', attributeId: 2, audience: { companies: true, people: false } }],
    companiesOnly: true,
  })
  const faultOf = (type: string, attributes: readonly SormAttribute[]) => {
    try {
      buildReport(type, attributes)
      return null
    } catch (error) {
      return error instanceof SormReportBuilderError ? error.fault : error
    }
  }
  t.equal(faultOf('PAYMENTS', [attribute(1)]), 'unsupportedReportType')
  t.equal(faultOf('ABONENT', []), 'noAttributes')
  t.equal(faultOf('ABONENT', [attribute(1, { fieldCode: '' })]), 'noAttributes')
  t.equal(faultOf('ABONENT', [attribute(1), attribute(2, { fieldCode: '' })]), 'emptyCode')
  t.equal(faultOf('ABONENT', [attribute(1), attribute(2, { fieldCode: '', reportTypes: [] })]), null)
})

t.test('report types are a list with commas', async (t) => {
  t.strictSame(readReportTypes(' ABONENT,,ABONENT_LEGAL , ABONENT'), ['ABONENT', 'ABONENT_LEGAL'])
  t.strictSame(readReportTypes(''), [])
})
