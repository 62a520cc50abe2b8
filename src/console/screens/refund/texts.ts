import { chapter } from '../../texts/texts.ts'

export const refundTexts = chapter({
  title: ['Возврат через шлюз', 'Refund through the gateway'],
  state: ['Состояние возврата', 'Refund status'],
  asked: ['Отправляется в шлюз', 'Being sent to the gateway'],
  sent: ['Шлюз возвращает', 'The gateway is processing it'],
  done: ['Шлюз вернул деньги', 'Refunded by the gateway'],
  failed: ['Шлюз отказал', 'Refused by the gateway'],
  by_hand: ['Возвращено в кабинете шлюза', 'Refunded at the gateway itself'],
  amount: ['Возвращается', 'Amount'],
  number: ['Возврат шлюза', 'Gateway refund ID'],
  error: ['Что не так', 'Problem'],
  by: ['Кто вернул', 'Requested by'],
  at: ['Когда вернули', 'Refunded at'],
  comment: ['Что сделано', 'What was done'],
  again: ['Попробовать ещё раз', 'Try again'],
  byHand: ['Я вернул деньги в кабинете', 'I refunded it at the gateway'],
  doneAgain: ['Возврат отправлен заново', 'The refund was requested again'],
  doneByHand: ['Отмечено', 'Recorded'],
})

export const refundListTexts = chapter({
  title: ['Возвраты', 'Refunds'],
  says: ['Деньги, которые шлюз возвращает плательщикам.', 'Money that the gateway gives back to payers.'],
  all: ['Все', 'All'],
  asked: ['Запрошен', 'Requested'],
  subscriber: ['Абонент', 'Subscriber'],
  payment: ['Платёж шлюза', 'Gateway payment ID'],
  none: ['Возвратов через шлюз не было', 'No refunds through a gateway yet'],
})
