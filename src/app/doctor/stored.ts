import type { Client } from 'pg'
import { lastBackup } from '../../billing/jobs/backup-job.ts'
import { lastVerification } from '../../billing/jobs/ledger-check.ts'
import { neededOf } from '../../billing/payments/gateways.ts'
import { nasClockSecondsMax } from '../../network/radius/accounting/nas-clocks.ts'
import { isAliveSql } from '../../platform/nodes/nodes-table.ts'
import { isMigrationPending } from '../../platform/storage/migrations.ts'
import { type Check, daysSince, fail, ok, someOf, someRussian, warn } from './check.ts'
import { type Figures, hasHeard } from './running.ts'

/** What the tables tell of how the installation goes, beside what the running program says. Reads only. */
export async function checkStored(client: Client, now: Date, figures: Figures | null): Promise<Check[]> {
  if (await isMigrationPending(client))
    return [
      warn(
        'tables',
        'The tables are of an older version. The next start brings them up to this one, and so does `tollgate migrate`.',
        'Таблицы от более старой версии. Следующий запуск обновит их, как и `tollgate migrate`.',
      ),
    ]
  const looks = [
    nasHeard,
    nasClocks,
    ledgerProven,
    jobsRun,
    backedUp,
    messagesSent,
    paymentsCredited,
    gatewaysSet,
    receiptsPrinted,
    nodesAlive,
  ]
  const checks: Check[] = [ok('tables', 'The tables are of this version.', 'Таблицы этой версии.')]
  for (const look of looks) checks.push(...(await look(client, now, figures)))
  return checks
}

const silentHours = 24

async function nasHeard(client: Client, _now: Date, figures: Figures | null): Promise<Check[]> {
  const { rows } = await client.query<{ name: string; isNew: boolean }>(
    `SELECT name, last_packet_at IS NULL AS "isNew" FROM nas
      WHERE enabled AND (last_packet_at IS NULL OR last_packet_at < now() - interval '${silentHours} hours') ORDER BY name`,
  )
  const namesOf = (isNew: boolean) => rows.filter((nas) => nas.isNew === isNew).map(({ name }) => name)
  const never = namesOf(true).filter((name) => !hasHeard(figures, name))
  const silent = namesOf(false)
  return [
    never.length > 0
      ? warn(
          'NAS that never spoke',
          `No RADIUS packet has ever come from ${someOf(never)}. Compare the address and secret of the record with the NAS, and look for a firewall before UDP 1812 and 1813.`,
          `Ни одного пакета RADIUS не пришло от ${someRussian(never)}. Сравните адрес и секрет записи с NAS и проверьте, не закрыты ли UDP 1812 и 1813.`,
        )
      : ok('NAS that never spoke', 'Every enabled NAS has been heard.', 'Каждый включённый NAS уже обращался.'),
    silent.length > 0
      ? warn(
          'silent NAS',
          `Nothing has come from ${someOf(silent)} for more than ${silentHours} hours. If they are gone, switch their records off.`,
          `Больше ${silentHours} ч ничего не приходит от ${someRussian(silent)}. Если их больше нет, выключите записи.`,
        )
      : ok(
          'silent NAS',
          `Every NAS that has spoken did so within ${silentHours} hours.`,
          `Все NAS, что обращались, делали это за последние ${silentHours} ч.`,
        ),
  ]
}

async function nasClocks(client: Client): Promise<Check[]> {
  const name = 'clocks of NAS'
  const { rows } = await client.query<{ name: string; ahead: number }>(
    `SELECT name, clock_ahead_seconds::float8 AS ahead FROM nas
      WHERE enabled AND abs(clock_ahead_seconds) > ${nasClockSecondsMax} ORDER BY name`,
  )
  const wrong = rows.map((nas) => `${nas.name} (${Math.abs(nas.ahead)} s ${nas.ahead > 0 ? 'ahead' : 'behind'})`)
  const signed = rows.map((nas) => `${nas.name} (${nas.ahead > 0 ? '+' : '−'}${Math.abs(nas.ahead)} с)`)
  return [
    wrong.length > 0
      ? warn(
          name,
          `By their accounting the clocks are wrong of ${someOf(wrong)}, so sessions begin and end at wrong times. Let them follow NTP; where all are wrong alike, it is the clock of this machine.`,
          `Судя по учёту, неверно идут часы ${someRussian(signed)}, поэтому начало и конец сессий записаны неверно. Включите на них NTP; если все расходятся одинаково, неверны часы этой машины.`,
        )
      : ok(
          name,
          'No NAS has a clock that is off by more than a minute, as far as its accounting tells.',
          'Судя по учёту, часы всех NAS расходятся не больше чем на минуту.',
        ),
  ]
}

/** Fewer days are no reason to warn, because the nightly proof may have been missed once. */
const proofDays = 2

async function ledgerProven(client: Client, now: Date): Promise<Check[]> {
  const name = 'ledger proof'
  const last = await lastVerification(client)
  if (!last)
    return [
      warn(
        name,
        'The ledger has not been proven yet; the job verify_ledger does it at night, and `tollgate verify_ledger` now.',
        'Финансовый журнал ещё не сверялся: это ночью делает задание verify_ledger, а сразу — `tollgate verify_ledger`.',
      ),
    ]
  if (last.broken > 0)
    return [
      fail(
        name,
        `The last proof of the ledger found ${last.broken} accounts wrong. Money → Ledger proof and \`tollgate verify_ledger\` name the first broken record of each.`,
        `Последняя сверка финансового журнала нашла счетов с ошибкой: ${last.broken}. Первую неверную запись каждого показывают Деньги → Сверка журнала и \`tollgate verify_ledger\`.`,
      ),
    ]
  const days = daysSince(last.at, now)
  return [
    days >= proofDays
      ? warn(
          name,
          `The ledger was last proven ${days} days ago. System → Jobs says why the job verify_ledger has not run.`,
          `Финансовый журнал сверялся ${days} дн. назад. Почему не выполняется задание verify_ledger, показывает Система → Задания.`,
        )
      : ok(name, 'The ledger was proven, and all accounts agree.', 'Финансовый журнал сверен, все счета сошлись.'),
  ]
}

async function jobsRun(client: Client): Promise<Check[]> {
  const { rows } = await client.query<{ name: string; ok: boolean }>(
    'SELECT DISTINCT ON (name) name, ok FROM job_runs WHERE ended_at IS NOT NULL ORDER BY name, started_at DESC',
  )
  const failed = rows.filter((run) => !run.ok).map(({ name }) => name)
  return [
    failed.length > 0
      ? warn(
          'jobs',
          `The last run failed of ${someOf(failed)}. System → Jobs says why.`,
          `Последний запуск не удался: ${someRussian(failed)}. Причину показывает Система → Задания.`,
        )
      : ok('jobs', 'The last run of every job ended well.', 'Последние запуски всех заданий удались.'),
  ]
}

/** One each night, and a day more for one that was missed. */
const backupDays = 2

async function backedUp(client: Client, now: Date): Promise<Check[]> {
  const name = 'backup'
  const last = await lastBackup(client)
  const days = last && daysSince(last, now)
  const archive = days === null || days >= backupDays ? await logArchive(client) : null
  if (archive) return [archiveCheck(name, archive, now)]
  if (days === null)
    return [
      warn(
        name,
        'No backup has been made. Set BACKUP_FOLDER in System → Settings for one each night, or let a timer run `tollgate backup`.',
        'Резервной копии ещё не было. Укажите BACKUP_FOLDER в Система → Настройки, и она будет делаться каждую ночь, или запускайте `tollgate backup` по таймеру.',
      ),
    ]
  return [
    days >= backupDays
      ? warn(
          name,
          `The last backup is ${days} days old. System → Jobs says what became of the job backup.`,
          `Последней резервной копии ${days} дн. Что стало с заданием backup, показывает Система → Задания.`,
        )
      : ok(name, 'A backup was made within two days.', 'Резервная копия сделана за последние двое суток.'),
  ]
}

type LogArchive = { readonly lastAt: Date | null; readonly hasFailedSince: boolean }

/** What PostgreSQL tells of its archive of the write-ahead log; null: it keeps none. */
async function logArchive(client: Client): Promise<LogArchive | null> {
  const { rows } = await client.query<LogArchive>(
    `SELECT last_archived_time AS "lastAt",
        coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS "hasFailedSince"
      FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off'`,
  )
  return rows[0] ?? null
}

/** Whoever archives the log needs no archive of ours. The base backup that it continues cannot be seen from here. */
function archiveCheck(name: string, { lastAt, hasFailedSince }: LogArchive, now: Date): Check {
  if (lastAt !== null && !hasFailedSince && daysSince(lastAt, now) < 1)
    return ok(
      name,
      'PostgreSQL archives its write-ahead log, and did so within a day. With a base backup beside it that is a backup.',
      'PostgreSQL архивирует журнал предзаписи (WAL), последний раз — за последние сутки. Вместе с базовой копией (pg_basebackup) это резервная копия.',
    )
  return hasFailedSince
    ? warn(
        name,
        'The last attempt of PostgreSQL to archive its write-ahead log failed, so there is no backup since. Its log says why archive_command did not succeed.',
        'Последняя попытка PostgreSQL заархивировать журнал предзаписи (WAL) не удалась, и с тех пор резервной копии нет. Почему не сработала archive_command, говорит журнал PostgreSQL.',
      )
    : warn(
        name,
        'PostgreSQL has archive_mode on and has archived nothing of its write-ahead log for a day. Set archive_command, and archive_timeout for quiet hours.',
        'В PostgreSQL включён archive_mode, но за сутки журнал предзаписи (WAL) не архивировался. Задайте archive_command, а для тихих часов — archive_timeout.',
      )
}

const waitingHours = 1

async function messagesSent(client: Client): Promise<Check[]> {
  const { rows } = await client.query<{ waiting: number; unserved: number }>(
    `SELECT count(*)::int4 AS waiting, count(*) FILTER (WHERE channel IS NULL)::int4 AS unserved FROM notifications
      WHERE state = 'waiting' AND created_at < now() - interval '${waitingHours} hours'`,
  )
  const { waiting, unserved } = rows[0]!
  if (waiting === 0)
    return [
      ok(
        'messages',
        'No message to a client has waited for more than an hour.',
        'Ни одно сообщение клиенту не ждёт больше часа.',
      ),
    ]
  const why =
    unserved > 0
      ? ` For ${unserved} of them there is no provider or no address: TOLLGATE_SMS_URL, TOLLGATE_SMTP_URL and TOLLGATE_FCM_CREDENTIALS name providers.`
      : ''
  const because =
    unserved > 0
      ? ` Для ${unserved} из них нет провайдера или адреса: провайдеров задают TOLLGATE_SMS_URL, TOLLGATE_SMTP_URL и TOLLGATE_FCM_CREDENTIALS.`
      : ''
  return [
    warn(
      'messages',
      `${waiting} messages to clients have waited for more than an hour.${why} Messages → Message log shows how often each was tried.`,
      `Сообщений клиентам ждёт больше часа: ${waiting}.${because} Сколько раз пробовали каждое, показывает Сообщения → Журнал сообщений.`,
    ),
  ]
}

async function paymentsCredited(client: Client): Promise<Check[]> {
  const { rows } = await client.query<{ open: number }>(
    'SELECT count(*)::int4 AS open FROM payment_problems WHERE resolved_at IS NULL',
  )
  const { open } = rows[0]!
  return [
    open > 0
      ? warn(
          'payments',
          `${open} notices of payment gateways were not credited and wait for somebody: Money → Not credited.`,
          `Уведомлений шлюзов не зачислено и ждёт решения: ${open}. Деньги → Незачисленные.`,
        )
      : ok(
          'payments',
          'Every payment that a gateway told of is credited or settled.',
          'Все платежи, о которых сообщили шлюзы, зачислены или разобраны.',
        ),
  ]
}

async function gatewaysSet(client: Client): Promise<Check[]> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM system_settings WHERE value <> ''`)
  const set = new Set(rows.map(({ name }) => name))
  const halves = Object.values(neededOf).filter(
    (names) => names.some((name) => set.has(name)) && !names.every((name) => set.has(name)),
  )
  const missing = halves.flat().filter((name) => !set.has(name))
  return [
    missing.length > 0
      ? warn(
          'gateways',
          `A payment gateway is set up in part: ${missing.join(', ')} is empty. System → Online payments checks its connection.`,
          `Платёжный шлюз настроен не до конца, пусто: ${missing.join(', ')}. Связь проверяет Система → Приём платежей.`,
        )
      : ok('gateways', 'No payment gateway is set up in part.', 'Наполовину настроенных платёжных шлюзов нет.'),
  ]
}

async function receiptsPrinted(client: Client): Promise<Check[]> {
  const { rows } = await client.query<{ late: number }>(
    `SELECT count(*)::int4 AS late FROM fiscal_receipts WHERE state IN ('waiting', 'sent') AND created_at < now() - interval '${silentHours} hours'`,
  )
  const { late } = rows[0]!
  return [
    late > 0
      ? warn(
          'receipts',
          `${late} fiscal receipts have waited for more than a day, and the law gives them less. Money → Receipts says why.`,
          `Чеков ждёт больше суток: ${late}, а закон даёт меньше. Причину показывает Деньги → Чеки.`,
        )
      : ok('receipts', 'No fiscal receipt has waited for more than a day.', 'Ни один чек не ждёт больше суток.'),
  ]
}

/** Looks at the nodes; says nothing where there is only one program. */
async function nodesAlive(client: Client): Promise<Check[]> {
  const { rows } = await client.query<{ name: string; version: string; isAlive: boolean; isStopped: boolean }>(
    `SELECT name, version, ${isAliveSql} AS "isAlive", stopped_at IS NOT NULL AS "isStopped" FROM nodes ORDER BY name`,
  )
  const alive = rows.filter(({ isAlive }) => isAlive)
  if (rows.length === 0) return []
  const gone = rows.filter(({ isAlive, isStopped }) => !isAlive && !isStopped).map(({ name }) => name)
  const versions = [...new Set(alive.map(({ version }) => version))]
  return [
    gone.length > 0
      ? warn(
          'nodes',
          `Nothing is heard of ${someOf(gone)}, which did not stop in good order. Start it again, or let it be: the others have taken over its work.`,
          `Ничего не слышно от ${someRussian(gone)}, а остановлены они не были. Запустите снова или оставьте так: их работу взяли другие.`,
        )
      : ok('nodes', `${alive.length} nodes serve this database.`, `Базу обслуживает узлов: ${alive.length}.`),
    ...(versions.length > 1
      ? [
          warn(
            'versions of nodes',
            `The nodes run the versions ${versions.join(' and ')}. Complete the upgrade.`,
            `У узлов версии ${versions.join(' и ')}. Завершите обновление.`,
          ),
        ]
      : []),
  ]
}
