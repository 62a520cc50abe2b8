import { chapter } from '../../texts/texts.ts'

export const sormTexts = chapter({
  title: ['СОРМ', 'SORM'],
  says: [
    'Выгрузка данных абонентов. Каждая записывается в аудит.',
    'Export of subscriber data. Each one is recorded in the audit.',
  ],
  check: ['Проверка данных', 'Data check'],
  checking: ['Проверяется…', 'Checking…'],
  good: ['Всё заполнено', 'Complete'],
  bad: ['Есть что исправить', 'Needs attention'],
  fields: ['Дополнительные поля', 'Additional fields'],
  missing: ['Не заполнено у абонентов', 'Not filled in'],
  field: ['Поле', 'Field'],
  report: ['Отчёт', 'Report'],
  code: ['Код', 'Code'],
  count: ['Абонентов', 'Subscribers'],
  fault: ['Что не так', 'What is wrong'],
  none: ['Нет', 'None'],
  exports: ['Выгрузки', 'Exports'],
  people: ['Физические лица', 'People'],
  companies: ['Юридические лица', 'Legal entities'],
  ident: ['Идентификаторы', 'Identifiers'],
  download: [(name: string) => `Скачать CSV: ${name}`, (name: string) => `Download CSV: ${name}`],
  noRight: [
    'Выгружать могут те, у кого есть право на паспортные данные.',
    'Exports need the right to personal documents.',
  ],
  missing_field_code: ['Нет кода поля', 'The code of the field is missing'],
  invalid_field_code: ['Код поля неверен', 'The code of the field is wrong'],
  duplicate_field_code: ['Код поля повторяется', 'The code of the field is repeated'],
  exception: ['Проверить не удалось', 'The check failed'],
})
