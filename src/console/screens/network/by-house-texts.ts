import { chapter } from '../../texts/texts.ts'

export const byHouseTexts = chapter({
  title: ['Связь по домам', 'Houses'],
  all: ['Все', 'All'],
  lost: ['Пропадают', 'Going offline'],
  down: ['Никого в сети', 'Nobody online'],
  none: ['Домов с абонентами нет', 'There are no houses with subscribers'],
  noneSays: ['Дом указывают в адресе абонента.', 'The house is set in the address of a subscriber.'],
  address: ['Адрес', 'Address'],
  state: ['Состояние', 'State'],
  online: ['В сети', 'Online'],
  subscribers: ['Абоненты', 'Subscribers'],
  lostColumn: ['Пропали за 30 минут', 'Lost in the last 30 minutes'],
  of: [(online: string, all: string) => `${online} из ${all}`, (online: string, all: string) => `${online} of ${all}`],
  stateDown: ['Никого в сети', 'Nobody online'],
  statePartly: ['Пропадают', 'Going offline'],
  stateWorks: ['Работает', 'Working'],
  stateEmpty: ['Не в сети', 'Offline'],
})
