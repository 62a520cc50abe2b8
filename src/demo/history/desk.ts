import type { Pool } from 'pg'
import { cashOf, closeShift, currentShift, openShift } from '../../billing/cash/shifts.ts'
import { subscriberId } from '../../domain/ids.ts'
import { minus, rubles } from '../../domain/money.ts'
import type { ProblemReason } from '../../billing/payments/problem-reasons.ts'
import { Problems } from '../../billing/payments/problems.ts'
import type { Dice } from '../dice.ts'
import type { DemoClient, Provider } from '../provider.ts'

type Talk = { readonly subject: string; readonly lines: readonly string[] }

/** What clients ask and what they are answered, in turns; the client begins. */
const talks: readonly Talk[] = [
  {
    subject: 'Низкая скорость по вечерам',
    lines: [
      'С восьми вечера скорость падает до 5 Мбит/с, днём всё хорошо.',
      'Здравствуйте! Видим ошибки на порту коммутатора, мастер придёт завтра с 10 до 12.',
      'Спасибо, буду дома.',
    ],
  },
  { subject: 'Нет интернета', lines: ['С утра не работает, на роутере горит красная лампочка.'] },
  {
    subject: 'Не зачислен платёж',
    lines: ['Платил вчера через терминал 600 рублей, на счету их нет.', 'Платёж найден и зачислен, проверьте баланс.'],
  },
  {
    subject: 'Сменить тариф',
    lines: ['Хочу перейти на 300 Мбит/с с первого числа.', 'Смена запланирована на первое число.', 'Отлично!'],
  },
  {
    subject: 'Закрывающие документы',
    lines: ['Пришлите, пожалуйста, акт за прошлый месяц.', 'Акт отправлен на почту.'],
  },
  { subject: 'Перенос розетки', lines: ['Делаем ремонт, нужно перенести кабель в другую комнату. Сколько это стоит?'] },
  {
    subject: 'Роутер теряет соединение',
    lines: ['Обрыв каждые полчаса.', 'Обновите прошивку роутера; если не поможет, напишите нам.', 'Не помогло.'],
  },
  {
    subject: 'Статический адрес',
    lines: ['Можно ли получить постоянный адрес?', 'Да, 150 рублей в месяц. Подключить?'],
  },
]

/** What the staff tells itself. */
const remarks = [
  'Ошибки CRC на порту, передал бригаде.',
  'Звонил, не отвечает; перезвонить после шести.',
  'Соседи жалуются на то же, похоже на кабель до дома.',
] as const

const templates = [
  {
    name: 'Перезагрузить роутер',
    ru: 'Здравствуйте! Выключите роутер на минуту и включите снова. Если не поможет, ответьте здесь, и мы пришлём мастера.',
    en: 'Hello! Switch the router off for a minute and on again. If it does not help, answer here and we will send somebody.',
  },
  {
    name: 'Мастер придёт',
    ru: 'Здравствуйте! Мастер придёт завтра с 10 до 12 и позвонит за полчаса.',
    en: 'Hello! Somebody will come tomorrow between 10 and 12 and call half an hour before.',
  },
  { name: 'Платёж найден', ru: 'Платёж найден и зачислен, проверьте, пожалуйста, баланс.', en: null },
] as const

const hour = 3_600_000

/** Tickets of the quarter: old ones are closed, those of the last days wait for somebody. */
export async function insertTickets(pool: Pool, { clients, support }: Provider, now: Date, dice: Dice): Promise<void> {
  for (const { name, ru, en } of templates)
    await pool.query('INSERT INTO hdsk_templates (name, text_ru, text_en) VALUES ($1, $2, $3)', [name, ru, en])
  const moments = Array.from(
    { length: 48 },
    (_, at) => now.getTime() - (at < 14 ? dice.below(60) : dice.below(2_100)) * hour,
  )
  const asking = clients.filter(({ person }) => person.lot !== 'deleted')
  // The card of one with a promise payment, which visitors look at, has some too.
  const promised = asking.filter(({ person }) => person.lot === 'promised')
  for (const [at, openedMs] of moments.sort((a, b) => a - b).entries()) {
    const client = at % 16 === 5 && promised[0] ? promised[0] : dice.pick(asking)
    const { subject, lines } = dice.pick(talks)
    const isOld = openedMs < now.getTime() - 96 * hour
    const said = isOld ? lines : lines.slice(0, 1 + dice.below(lines.length))
    const status = isOld ? 'closed' : said.length === 1 ? 'open' : 'in_progress'
    const { rows } = await pool.query(
      `INSERT INTO hdsks (abonent_id, subject, body, status, create_date, assignee_id) VALUES ($1, $2, $3, $4, $5, $6)
        RETURNING id`,
      [client.subscriber, subject, said[0], status, new Date(openedMs), said.length === 1 ? null : support.id],
    )
    if (status === 'in_progress')
      await pool.query('INSERT INTO hdsk_notes (hdsk_id, staff_id, body, create_date) VALUES ($1, $2, $3, $4)', [
        ...[rows[0].id, support.id, dice.pick(remarks), new Date(Math.min(now.getTime(), openedMs + hour / 2))],
      ])
    for (const [at, body] of said.entries()) {
      const isStaff = at % 2 === 1
      const saidAt = new Date(Math.min(now.getTime(), openedMs + at * 40 * 60_000))
      await pool.query(
        `INSERT INTO hdsk_messages (hdsk_id, author, staff_id, body, create_date, read_date) VALUES ($1, $2, $3, $4, $5, $6)`,
        [rows[0].id, isStaff ? 'staff' : 'client', isStaff ? support.id : null, body, saidAt, isOld ? saidAt : null],
      )
    }
  }
}

const problems: readonly (readonly [ProblemReason, string])[] = [
  ['badSignature', 'The md5 is wrong.'],
  ['unknownOrder', 'There is no order 900001 of this gateway.'],
  ['wrongAmount', '650.00 were asked, 600.00 are paid.'],
  ['notConfirmed', 'The gateway knows no such payment.'],
]

/** Notices of gateways that were not credited. */
export async function insertProblems(pool: Pool, clients: readonly DemoClient[], dice: Dice): Promise<void> {
  const kept = new Problems(pool)
  for (const [at, [reason, detail]] of problems.entries()) {
    const { subscriber } = dice.pick(clients)
    const [gateway, protocol] = at % 2 === 0 ? (['gwa', 'rest'] as const) : (['gwb', 'form'] as const)
    const id = `2d${at}f-0017`
    const paid = { gateway, protocol, gatewayId: id, orderId: 900_000 + at, credit: null, result: 'succeeded' } as const
    await kept.keep({
      gateway,
      protocol,
      address: '203.0.113.7',
      shown: () => JSON.stringify({ payment: id, amount: '600.00', order: 900_000 + at }),
      reason,
      detail,
      notice: reason === 'badSignature' ? null : { ...paid, subscriberId: subscriberId(subscriber), paid: rubles(600) },
    })
  }
}

const shiftDays = 12
const day = 24 * hour

/** The shifts of the cashier: of each of the last days one with a paper, and the one of today goes on. */
export async function insertShifts(pool: Pool, { cashier }: Provider, now: Date): Promise<void> {
  const author = { staffId: cashier.id, name: cashier.name, address: '10.1.0.10' }
  const client = await pool.connect()
  try {
    for (let ago = shiftDays; ago >= 0; ago--) {
      const opened = new Date(now.getTime() - ago * day - 4 * hour)
      await openShift(client, author, rubles(1_000), opened)
      if (ago === 0) return
      const closed = new Date(opened.getTime() + 10 * hour)
      const shift = await currentShift(client, cashier.id, closed)
      const { expected } = cashOf(shift!)
      // Ten rubles are missing once.
      const counted = ago === 3 ? minus(expected, rubles(10)) : expected
      await closeShift(client, author, counted, closed)
    }
  } finally {
    client.release()
  }
}
