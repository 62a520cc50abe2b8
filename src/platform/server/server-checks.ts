import type { Client } from 'pg'
import type { Log } from '../log.ts'
import { isBefore, oldestBeside, version } from '../release.ts'
import { StartRefusal } from '../start-refusal.ts'
import { checkConnections } from './connection-checks.ts'
import { fail, ok, type ServerCheck, warn } from './server-check.ts'
import { readServerFacts, type ServerFacts } from './server-facts.ts'

/** The program that is to work on the server: its name among the nodes, and the connections that it has at most. */
export type ServerUser = {
  readonly name: string
  readonly connections: (role: string) => number
  readonly role: string
}

/**
 * Whether the server behind an address, to which this is a connection, is one that the program can work on. Rejects
 * when it does not answer.
 */
export const checkServer = async (client: Client, url: string, user: ServerUser): Promise<ServerCheck[]> => [
  ...(await checkConnections(client, url)),
  ...judgeServer(await readServerFacts(client), user),
]

/** Warns of what costs something. Throws StartRefusal with every sentence that says why the program cannot work. */
export function heed(checks: readonly ServerCheck[], log?: Log): void {
  const failed = checks.filter(({ state }) => state === 'fail')
  if (failed.length > 0) throw new StartRefusal(failed.map(({ sentence }) => sentence).join('\n'))
  for (const { name, state, sentence } of checks) if (state === 'warn') log?.warn(sentence, { check: name })
}

/** Pure. In the order in which they are shown. */
export function judgeServer(facts: ServerFacts, user: ServerUser): ServerCheck[] {
  return [
    versionOf(facts),
    writable(facts),
    encodingOf(facts),
    lettersOf(facts),
    answersOf(facts),
    timeLimits(facts),
    rightsOf(facts),
    releasesOf(facts),
    connectionsOf(facts, user),
    locksOf(facts),
    durabilityOf(facts),
    upkeepOf(facts),
    clockOf(facts),
  ]
}

function versionOf({ version, versionNumber }: ServerFacts): ServerCheck {
  return versionNumber < 150_000
    ? fail(
        'version',
        `Tollgate needs PostgreSQL 15 or newer, and this server is ${version}.`,
        `Tollgate нужен PostgreSQL 15 или новее, а этот сервер — ${version}.`,
      )
    : ok('version', `PostgreSQL ${version}.`, `PostgreSQL ${version}.`)
}

function writable({ isStandby, settings, role }: ServerFacts): ServerCheck {
  if (isStandby)
    return fail(
      'primary',
      'The server at DATABASE_URL is a standby, which takes no writes. Let DATABASE_URL lead to the primary; a standby may be read from by TOLLGATE_READ_URL of an edge.',
      'По DATABASE_URL — резервный сервер, он не принимает записи. Пусть DATABASE_URL ведёт на основной; с резервного может читать узел edge по TOLLGATE_READ_URL.',
    )
  return settings.default_transaction_read_only === 'on'
    ? fail(
        'primary',
        `Transactions of role ${role} are read-only. ${resetting(role, 'default_transaction_read_only')}`,
        `Транзакции роли ${role} только читают. ${resettingRussian(role, 'default_transaction_read_only')}`,
      )
    : ok('primary', 'The server takes writes.', 'Сервер принимает записи.')
}

function encodingOf({ encoding, database }: ServerFacts): ServerCheck {
  return encoding === 'UTF8'
    ? ok('encoding', 'The database is in UTF8.', 'База в UTF8.')
    : fail(
        'encoding',
        `The database ${database} has the encoding ${encoding}, and names of subscribers need UTF8. Make another one by \`CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0\` and name it in DATABASE_URL.`,
        `Кодировка базы ${database} — ${encoding}, а именам абонентов нужна UTF8. Создайте другую: \`CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0\`, и назовите её в DATABASE_URL.`,
      )
}

function lettersOf({ foldsLetters, database }: ServerFacts): ServerCheck {
  return foldsLetters
    ? ok(
        'letters',
        'Capital and small letters of all alphabets are known.',
        'Заглавные и строчные буквы всех алфавитов известны.',
      )
    : warn(
        'letters',
        `The locale of the database ${database} knows capital letters of ASCII only, so a search does not find иванов where Иванов is written. Make another database with a UTF-8 locale, such as \`LOCALE 'C.UTF-8'\`, before there is anything in it.`,
        `Локаль базы ${database} знает заглавные буквы только ASCII, и поиск не находит иванов там, где написано Иванов. Пока в базе пусто, создайте другую с локалью UTF-8, например \`LOCALE 'C.UTF-8'\`.`,
      )
}

/** Settings with which the same statements would do something else. */
const answering = [
  ['standard_conforming_strings', 'on'],
  ['DateStyle', 'ISO'],
  ['IntervalStyle', 'postgres'],
  ['default_transaction_isolation', 'read committed'],
  ['session_replication_role', 'origin'],
] as const

function answersOf({ settings, role }: ServerFacts): ServerCheck {
  const wrong = answering.filter(([name, needed]) => !settings[name]?.startsWith(needed))
  if (wrong.length === 0)
    return ok(
      'settings',
      'The settings that decide what statements mean are as they must be.',
      'Настройки, от которых зависит смысл запросов, такие, как нужно.',
    )
  const found = wrong.map(([name, needed]) => `${name} is ${settings[name]} and must be ${needed}`).join('; ')
  const said = wrong.map(([name, needed]) => `${name} — ${settings[name]}, а нужно ${needed}`).join('; ')
  const names = wrong.map(([name]) => name).join(', ')
  return fail('settings', `${found}. ${resetting(role, names)}`, `${said}. ${resettingRussian(role, names)}`)
}

const limiting = [
  'statement_timeout',
  'transaction_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
] as const

function timeLimits({ settings, role }: ServerFacts): ServerCheck {
  const set = limiting.filter((name) => settings[name] !== null && settings[name] !== '0')
  if (set.length === 0)
    return ok('time limits', 'The server cuts off nothing that takes long.', 'Долгого сервер не обрывает.')
  const found = set.map((name) => `${name} of ${settings[name]}`).join(' and ')
  return warn(
    'time limits',
    `Role ${role} has a ${found}, which may cut off migrations, imports, reports and the reading of all logins; Tollgate limits its statements itself. ${resetting(role, set.join(', '))}`,
    `У роли ${role} заданы пределы: ${set.map((name) => `${name} — ${settings[name]}`).join(', ')}. Они могут оборвать обновление таблиц, импорт, отчёты и чтение всех логинов; Tollgate ограничивает свои запросы сам. ${resettingRussian(role, set.join(', '))}`,
  )
}

/** Where a setting may come from is for `\drds` of psql to say. */
const resetting = (role: string, names: string): string =>
  `Take it back where it is set: \`ALTER ROLE "${role}" RESET …\`, \`ALTER DATABASE … RESET …\` or postgresql.conf (${names}).`

const resettingRussian = (role: string, names: string): string =>
  `Верните, где это задано: \`ALTER ROLE "${role}" RESET …\`, \`ALTER DATABASE … RESET …\` или postgresql.conf (${names}).`

function rightsOf({ schema, role, isMigrationPending, mayMigrate, closedTable }: ServerFacts): ServerCheck {
  if (schema === null)
    return fail(
      'rights',
      `Role ${role} has no schema to work in: \`GRANT USAGE ON SCHEMA public TO "${role}"\`, or set its search_path.`,
      `Роли ${role} негде работать: \`GRANT USAGE ON SCHEMA public TO "${role}"\` или задайте её search_path.`,
    )
  if (isMigrationPending && !mayMigrate)
    return fail(
      'rights',
      `The tables have to be brought up to this version, and role ${role} may not do that. Run \`tollgate migrate\` with the DATABASE_URL of their owner first; on an empty database, let the role own it or \`GRANT CREATE ON SCHEMA ${schema} TO "${role}"\`.`,
      `Таблицы нужно обновить до этой версии, а роль ${role} этого не может. Сначала выполните \`tollgate migrate\` с DATABASE_URL их владельца; пустую базу отдайте роли или \`GRANT CREATE ON SCHEMA ${schema} TO "${role}"\`.`,
    )
  if (closedTable !== null)
    return fail(
      'rights',
      `Role ${role} may not read and write the table ${closedTable}. Give it the rights that docs/operating.md lists under "A PostgreSQL of your own".`,
      `Роль ${role} не может читать и писать таблицу ${closedTable}. Дайте ей права из docs/operating.md, «A PostgreSQL of your own».`,
    )
  return ok('rights', `Role ${role} may do what it needs.`, `Роль ${role} может всё, что ей нужно.`)
}

/** Only a migration takes something from others, so who migrates looks whom it would leave behind. */
function releasesOf({ isMigrationPending, nodes }: ServerFacts): ServerCheck {
  const old = isMigrationPending ? nodes.filter((node) => isBefore(node.version, oldestBeside)) : []
  if (old.length === 0)
    return ok(
      'releases',
      'The programs that serve the database can work on the same tables.',
      'Программы, которые обслуживают базу, могут работать с одними таблицами.',
    )
  const named = old.map(({ name, version: release }) => `${name} (${release})`).join(', ')
  return fail(
    'releases',
    `The tables of Tollgate ${version} can be used by ${oldestBeside} and newer, and ${named} still serve this database. Update them to ${oldestBeside} first, or stop them.`,
    `С таблицами Tollgate ${version} работают версии от ${oldestBeside}, а базу ещё обслуживают ${named}. Сначала обновите их до ${oldestBeside} или остановите.`,
  )
}

/** For the one or two that a start and a command open beside, and somebody in psql. */
const spareConnections = 5

function connectionsOf(facts: ServerFacts, { name, role, connections }: ServerUser): ServerCheck {
  const { limitOfRole, nodes } = facts
  const most = Math.min(facts.connections, limitOfRole ?? Number.POSITIVE_INFINITY)
  const allowed = limitOfRole !== null && limitOfRole < facts.connections ? 'this role and database' : 'the server'
  const own = connections(role)
  const others = nodes.filter((node) => node.name !== name)
  const all = others.reduce((sum, node) => sum + connections(node.role), own)
  if (most < own)
    return fail(
      'connections',
      `Tollgate has up to ${own} connections, and ${allowed} allows ${most}. ${raise(allowed, own + spareConnections)}`,
      `У Tollgate до ${own} соединений, а разрешено ${most}. ${raiseRussian(allowed, own + spareConnections)}`,
    )
  if (most < all + spareConnections)
    return warn(
      'connections',
      `This program and the ${others.length} others that serve the database have up to ${all} connections, and ${allowed} allows ${most}. ${raise(allowed, all + spareConnections)}`,
      `У всех программ, которые обслуживают базу (кроме этой их ${others.length}), до ${all} соединений, а разрешено ${most}. ${raiseRussian(allowed, all + spareConnections)}`,
    )
  return ok(
    'connections',
    `Up to ${all} connections of ${most} that ${allowed} allows.`,
    `До ${all} соединений из разрешённых ${most}.`,
  )
}

const raise = (allowed: string, count: number): string =>
  allowed === 'the server'
    ? `Set max_connections so that ${count} are left for ordinary roles, and restart PostgreSQL.`
    : `Raise it to ${count} by \`ALTER ROLE … CONNECTION LIMIT\` or \`ALTER DATABASE … CONNECTION LIMIT\`.`

const raiseRussian = (allowed: string, count: number): string =>
  allowed === 'the server'
    ? `Задайте max_connections так, чтобы обычным ролям осталось ${count}, и перезапустите PostgreSQL.`
    : `Поднимите до ${count}: \`ALTER ROLE … CONNECTION LIMIT\` или \`ALTER DATABASE … CONNECTION LIMIT\`.`

function locksOf({ lockSlots, relations }: ServerFacts): ServerCheck {
  return lockSlots >= 2 * relations
    ? ok('locks', `There is room for ${lockSlots} locks.`, `Места хватит блокировкам: ${lockSlots}.`)
    : warn(
        'locks',
        `There is room for ${lockSlots} locks, and the database has ${relations} tables and indexes, each of which a backup or a migration locks. Raise max_locks_per_transaction and restart PostgreSQL.`,
        `Место есть для ${lockSlots} блокировок, а таблиц и индексов в базе ${relations}, и копия или обновление занимает каждый. Увеличьте max_locks_per_transaction и перезапустите PostgreSQL.`,
      )
}

function durabilityOf({ settings }: ServerFacts): ServerCheck {
  const off = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => settings[name] === 'off')
  if (off.length === 0) return ok('durability', 'What is committed is on disk.', 'Записанное — на диске.')
  const [cost, said] =
    off.length === 1 && off[0] === 'synchronous_commit'
      ? [
          'payments that were answered may be lost with the power or a crash',
          'принятые платежи могут пропасть вместе с питанием или при сбое',
        ]
      : ['a power cut may destroy the database', 'пропажа питания может разрушить базу']
  return warn(
    'durability',
    `${off.join(', ')} ${off.length === 1 ? 'is' : 'are'} off: ${cost}. Switch it on.`,
    `Выключено: ${off.join(', ')} — ${said}. Включите.`,
  )
}

const walBytes = 512 * 1024 * 1024
const naptimeSeconds = 10

function upkeepOf(facts: ServerFacts): ServerCheck {
  const wanted: string[] = []
  const said: string[] = []
  const want = (english: string, russian: string) => {
    wanted.push(english)
    said.push(russian)
  }
  if (facts.settings.autovacuum === 'off')
    want(
      'autovacuum = on, without which tables grow and statements slow down for ever',
      'autovacuum = on, иначе таблицы растут, а запросы замедляются навсегда',
    )
  if (facts.minWalBytes < walBytes)
    want(
      "min_wal_size = '512MB', because making a new file of the write-ahead log holds up every commit",
      "min_wal_size = '512MB', потому что создание нового файла журнала задерживает каждую запись",
    )
  if (facts.naptimeSeconds > naptimeSeconds)
    want(
      "autovacuum_naptime = '10s', because statements are planned for tables as they were when last analysed",
      "autovacuum_naptime = '10s', потому что запросы планируются по таблицам, какими они были при последнем анализе",
    )
  return wanted.length === 0
    ? ok(
        'upkeep',
        'The server looks after its tables and its log as it should.',
        'За таблицами и журналом сервер следит как нужно.',
      )
    : warn(
        'upkeep',
        `Set by ALTER SYSTEM and pg_reload_conf(): ${wanted.join('; ')}.`,
        `Задайте через ALTER SYSTEM и pg_reload_conf(): ${said.join('; ')}.`,
      )
}

/** Beyond it, times of accounting and of payments no longer agree. */
const clockMsMax = 2_000

function clockOf({ clockOffsetMs }: ServerFacts): ServerCheck {
  const seconds = Math.abs(clockOffsetMs / 1000).toFixed(1)
  return Math.abs(clockOffsetMs) <= clockMsMax
    ? ok(
        'clock',
        `The clocks of this machine and of the server agree to ${seconds} s.`,
        `Часы этой машины и сервера сходятся до ${seconds} с.`,
      )
    : warn(
        'clock',
        `The clock of this machine is ${seconds} s ${clockOffsetMs > 0 ? 'ahead of' : 'behind'} that of PostgreSQL. Let both follow NTP, as by chrony.`,
        `Часы этой машины ${clockOffsetMs > 0 ? 'спешат' : 'отстают'} на ${seconds} с от часов PostgreSQL. Включите NTP на обеих, например chrony.`,
      )
}
