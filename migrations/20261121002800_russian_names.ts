import { Migration } from '@mikro-orm/migrations'

/** What clients and cashiers read in the history is in their language. A name somebody has changed stays as it is. */
export class RussianNames extends Migration {
  override up(): void {
    this.addSql(renamed('fin_types', 'type_id', 'op_name', types))
    this.addSql(renamed('uslugas', 'id', 'name', services))
  }
}

type Names = Readonly<Record<string, readonly [before: string, after: string]>>

const types: Names = {
  3: ['Monthly service charge', 'Абонплата за услугу'],
  7: ['Manual receipt', 'Ручное зачисление'],
  9: ['Manual expense', 'Ручное списание'],
  23: ['Payment through gateway A', 'Онлайн-оплата (шлюз A)'],
  24: ['Payment through gateway B', 'Онлайн-оплата (шлюз B)'],
  31: ['Promise payment', 'Обещанный платёж'],
  32: ['Monthly tariff charge', 'Абонплата'],
  33: ['Tariff change', 'Смена тарифа'],
  40: ['Cash desk', 'Касса'],
  41: ['Recalculation', 'Перерасчёт'],
}

const services: Names = {
  30353: ['Promise payment', 'Обещанный платёж'],
  '-3': ['Promise payment, postpay', 'Обещанный платёж, постоплата'],
  '-4': ['Promise payment, prepay', 'Обещанный платёж, предоплата'],
}

const renamed = (table: string, key: string, column: string, names: Names): string => {
  const rows = Object.entries(names).map(([id, [before, after]]) => `(${id}, '${before}', '${after}')`)
  return `UPDATE ${table} SET ${column} = names.after FROM (VALUES ${rows.join(', ')}) AS names (id, before, after)
    WHERE ${table}.${key} = names.id AND ${table}.${column} = names.before`
}
