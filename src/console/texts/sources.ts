import { chapter } from './texts.ts'

/** Where operations came from. */
export const sourceTexts = chapter({
  gwa: ['Шлюз A', 'Gateway A'],
  gwb: ['Шлюз B', 'Gateway B'],
  bank: ['Банк', 'Bank'],
  legacy: ['Прежняя система', 'The system before'],
  promise: ['Обещанный платёж', 'Promise payment'],
  manual: ['Вручную', 'By hand'],
  monthly: ['Абонентская плата', 'Monthly charge'],
  tariff_change: ['Смена тарифа', 'Change of tariff'],
  other: ['Прочее', 'Other'],
})

export const sources = Object.keys(sourceTexts.ru) as readonly (keyof (typeof sourceTexts)['ru'])[]
