import { chapter } from '../../../texts/texts.ts'

export const trafficTexts = chapter({
  traffic: ['Трафик', 'Traffic'],
  period: ['За какое время', 'Period'],
  day: ['День', 'Day'],
  week: ['Неделя', 'Week'],
  month: ['Месяц', 'Month'],
  received: ['Скачано', 'Downloaded'],
  sent: ['Отправлено', 'Uploaded'],
  chart: [
    (received: string, sent: string) =>
      `Скорость по времени. Скачано ${received}, отправлено ${sent}. Стрелки ведут по шагам.`,
    (received: string, sent: string) =>
      `Speed over time. Downloaded ${received}, uploaded ${sent}. The arrow keys move along the steps.`,
  ],
  none: ['За это время трафика не было', 'No traffic in this period'],
  asTable: ['Показать таблицей', 'Show as a table'],
  asChart: ['Скрыть таблицу', 'Hide the table'],
  at: ['Начало', 'From'],
  past: ['Прошлые сессии', 'Past sessions'],
  noPast: ['Прошлых сессий нет', 'There are no past sessions'],
  ended: ['Конец', 'Until'],
  lasted: ['Длилась', 'Lasted'],
  why: ['Причина', 'Reason'],
  speed: ['Скорость', 'Speed'],
})
