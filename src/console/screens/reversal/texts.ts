import { chapter } from '../../texts/texts.ts'

export const reversalTexts = chapter({
  title: [(id: string) => `Сторно операции № ${id}`, (id: string) => `Reversal of operation ${id}`],
  reason: ['Причина', 'Reason'],
  reasonSays: ['Клиент её не видит', 'The client does not see it'],
  reasonNeeded: ['Напишите, почему', 'Write why'],
  action: ['Сторнировать', 'Reverse'],
  done: ['Операция сторнирована', 'The operation is reversed'],
  says: [
    'Появится обратная операция на ту же сумму; обе останутся в журнале.',
    'An opposite operation of the same amount is made; both stay in the statement.',
  ],
  payment: [
    'Деньги снимутся с баланса. Если он станет ниже порога, доступ закроется сразу.',
    'The money is taken off the balance. Below the limit, access is closed at once.',
  ],
  gateway: [
    'Плательщику деньги при этом не возвращаются: верните их в кабинете платёжной системы.',
    'Nothing is refunded to the payer by this: refund it at the payment gateway itself.',
  ],
  refund: ['Вернуть деньги плательщику через шлюз', 'Refund the payer through the gateway'],
  refundSays: ['Без этого снимутся только деньги на балансе', 'Otherwise the money is only taken off the balance'],
  refundSum: ['Сколько вернуть, ₽', 'Amount to refund, ₽'],
  refundSumSays: [
    (paid: string) => `Внесено ${paid} вместе с комиссией. Пусто — вернуть всё.`,
    (paid: string) => `${paid} was paid, including the commission. Leave empty to refund all of it.`,
  ],
  refundSumWrong: [
    'Нужна сумма больше нуля, не больше внесённой',
    'It must be more than zero and at most what was paid',
  ],
  doneRefund: [
    'Операция сторнирована, возврат отправлен в шлюз',
    'The operation is reversed, and the refund was sent to the gateway',
  ],
  receipt: ['Будет пробит чек возврата.', 'The receipt of the refund is printed.'],
  promise: ['Обещанный платёж закончится.', 'The promise payment ends.'],
  recalculation: [
    'Дни, за которые деньги вернули, снова будут списаны.',
    'The days for which money was given back are charged again.',
  ],
  charge: [
    'Списанное вернётся на баланс, и за этот период больше ничего не начислится.',
    'What was charged returns to the balance, and nothing more is charged for this period.',
  ],
  expense: ['Сумма вернётся на баланс.', 'The amount returns to the balance.'],
  nothing: ['Операция денег не двигала: она только станет отменённой.', 'It moved no money: it only becomes void.'],
  isReversed: ['Эта операция уже отменена.', 'This operation has been reversed before.'],
  givenBack: [
    (id: number) => `Её уже вернула, целиком или частично, операция № ${id}. Сначала сторнируйте ту.`,
    (id: number) => `Operation no. ${id} has given it back, as a whole or in part. Reverse that one first.`,
  ],
})
