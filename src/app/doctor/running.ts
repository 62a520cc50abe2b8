import { Destinations } from '../../platform/outgoing/destinations.ts'
import { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import type { Config } from '../config.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** What the running program tells Prometheus: each series with its labels as they are written. */
export type Figures = ReadonlyMap<string, number>

const patienceMs = 3_000
const bytesMax = 16 * 2 ** 20

/** Null: no Tollgate answers where this configuration has it. */
export async function askRunning({ metrics: { host, port } }: Config): Promise<Figures | null> {
  if (port === 0) return null
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const address = `http://${own.includes(':') ? `[${own}]` : own}:${port}/metrics`
  const http = new OutgoingHttp(new Destinations(['0.0.0.0/0', '::/0']))
  try {
    const answer = await http.request(address, { signal: AbortSignal.timeout(patienceMs), answerBytesMax: bytesMax })
    const figures = figuresOf(answer.bytes.toString('utf8'))
    return sum(figures, 'tollgate_build_info') > 0 ? figures : null
  } catch {
    return null
  }
}

/** The text format of Prometheus, without its comments. */
export function figuresOf(text: string): Figures {
  const lines = text.matchAll(/^([a-z_]+(?:\{.*\})?) (\S+)$/gm)
  return new Map([...lines].map(([, series, value]) => [series!, Number(value)]))
}

/** The sum over all series with this name and these labels. */
function sum(figures: Figures, name: string, ...labels: readonly string[]): number {
  const wanted = [...figures].filter(
    ([series]) => (series === name || series.startsWith(`${name}{`)) && labels.every((label) => series.includes(label)),
  )
  return wanted.reduce((total, [, value]) => total + value, 0)
}

const unknownSources = (figures: Figures): number =>
  sum(figures, 'tollgate_radius_requests_total', 'result="dropped"', 'fault="unknownNas"')

/** How many files and connections the program may have open. */
export const fileLimitOf = (figures: Figures): number => figures.get('process_max_fds') ?? Number.NaN

/** Whether the NAS of this name has sent anything since the start. Its record is told of that some seconds later. */
export const hasHeard = (figures: Figures | null, nas: string): boolean =>
  figures !== null && sum(figures, 'tollgate_radius_requests_total', `nas="${labelOf(nas)}"`) > 0

/** The value of a label as the text format of Prometheus writes it. */
const labelOf = (value: string): string => value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')

/** What only the running program knows, because it is in no table. */
export function checkRunning(figures: Figures | null): Check[] {
  if (!figures)
    return [
      warn(
        'program',
        'Tollgate is not running with this configuration, so what only a running one knows was not looked at. Start it, or let this command have its TOLLGATE_METRICS_PORT.',
        'С этими настройками Tollgate не работает, и то, что знает только работающий, не проверено. Запустите его или дайте команде его TOLLGATE_METRICS_PORT.',
      ),
    ]
  const wrong = sum(figures, 'tollgate_nas', 'health="wrong_secret"')
  const strangers = unknownSources(figures)
  const spooled = sum(figures, 'tollgate_accounting_spool_bytes')
  return [
    ok('program', 'Tollgate is running.', 'Tollgate работает.'),
    sum(figures, 'tollgate_database_up') > 0
      ? ok('database', 'It reaches its database.', 'База данных доступна.')
      : fail(
          'database',
          'It does not reach its database. RADIUS goes on; accounting is kept in the spool and money waits. Is PostgreSQL running, and does its disk have room?',
          'База данных недоступна. RADIUS отвечает, учёт копится на диске, деньги ждут. Работает ли PostgreSQL и есть ли место на его диске?',
        ),
    wrong > 0
      ? warn(
          'secrets of NAS',
          `${wrong} NAS sign with another secret than their record has. Network → NAS shows which; enter the secret of the NAS there.`,
          `NAS с другим секретом, чем в записи: ${wrong}. Какие — в Сеть → NAS; введите там секрет этого NAS.`,
        )
      : ok(
          'secrets of NAS',
          'No NAS signs with another secret than its record has.',
          'Все NAS подписывают секретом из своей записи.',
        ),
    strangers > 0
      ? warn(
          'unknown NAS',
          `${strangers} RADIUS packets since the start came from addresses without a NAS record, and were dropped. Network → NAS shows the addresses: make a record of each that is yours.`,
          `С запуска отброшено пакетов RADIUS с адресов, для которых нет записи NAS: ${strangers}. Адреса — в Сеть → NAS: заведите запись для каждого своего.`,
        )
      : ok(
          'unknown NAS',
          'No RADIUS packet came from an address without a NAS record.',
          'С адресов без записи NAS пакетов RADIUS не было.',
        ),
    spooled > 0
      ? warn(
          'spool',
          `${spooled} bytes of accounting wait for the database. They go there by themselves once it answers; where they stay, the log says why.`,
          `Учёт ждёт базу данных, байтов: ${spooled}. Он запишется сам, когда она ответит; если не уходит, причина в журнале программы.`,
        )
      : ok('spool', 'No accounting waits for the database.', 'Весь учёт уже в базе данных.'),
  ]
}
