/** What the program finds wrong with a notice of a gateway (billing/payments, interfaces/gateways), in Russian. */
const patterns: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^The md5 is wrong\.$/, () => 'Неверна контрольная сумма md5.'],
  [/^The signature is wrong\.$/, () => 'Подпись неверна.'],
  [/^The signature of the metadata is wrong\.$/, () => 'Неверна подпись метаданных.'],
  [
    /^Order (\S+) was paid before by payment (\S+)\.$/,
    (order, payment) => `Заказ ${order} уже оплачен платежом ${payment}.`,
  ],
  [
    /^The payment of order (\S+) is known with another amount\.$/,
    (order) => `Платёж по заказу ${order} уже известен с другой суммой.`,
  ],
  [
    /^The invoice, the customer, the order number or the sum cannot be read\.$/,
    () => 'Не читаются счёт, плательщик, номер заказа или сумма.',
  ],
  [/^The metadata cannot be read\.$/, () => 'Метаданные не читаются.'],
  [/^(.+) was sent twice\.$/s, (name) => `${name} прислано дважды.`],
  [/^There is no event\.$/, () => 'В уведомлении нет события.'],
  [/^The object is no payment\.$/, () => 'Это уведомление не о платеже.'],
  [/^The gateway knows no such payment\.$/, () => 'Шлюз не знает такого платежа.'],
  [/^The gateway says that the payment is (\S+)\.$/, (state) => `По данным шлюза платёж в состоянии ${state}.`],
  [/^The payment is (\S+)\.$/, (state) => `Платёж в состоянии ${state}.`],
  [/^The account refused the payment: (.+)\.$/s, (reason) => `Лицевой счёт не принял платёж: ${reason}.`],
  [/^The order number or the amount cannot be read\.$/, () => 'Не читаются номер заказа или сумма.'],
  [/^Order (\S+) is of subscriber (\S+)\.$/, (order, id) => `Заказ ${order} сделан абонентом с id ${id}.`],
  [/^There is no order (\S+) of this gateway\.$/, (order) => `У этого шлюза нет заказа ${order}.`],
  [/^Subscriber (\S+) has no account\.$/, (id) => `У абонента с id ${id} нет лицевого счёта.`],
  [/^There is no subscriber (\S+)\.$/, (id) => `Нет абонента с id ${id}.`],
  [/^The gateway shows another amount or other metadata\.$/, () => 'У шлюза другая сумма или другие метаданные.'],
  [/^The payment is in another currency\.$/, () => 'Платёж в другой валюте.'],
  [/^The payment is in (\S+)\.$/, (currency) => `Платёж в валюте ${currency}.`],
  [/^(\S+) were asked, (\S+) are paid\.$/, (asked, paid) => `Выставлено ${asked} руб., оплачено ${paid} руб.`],
  [
    /^The order credits (\S+), not (\S+)\.$/,
    (credit, other) => `По заказу зачисляется ${credit} руб., а не ${other} руб.`,
  ],
  [/^The payment is of another merchant\.$/, () => 'Платёж другого продавца.'],
  [/^The payment is of shop (.+)\.$/s, (shop) => `Платёж магазина ${shop}.`],
]

/** Null: it is no sentence of the program, or none that has been said in Russian. */
export function detailInRussian(detail: string): string | null {
  for (const [pattern, said] of patterns) {
    const found = pattern.exec(detail)
    if (found) return said(...found.slice(1))
  }
  return null
}
