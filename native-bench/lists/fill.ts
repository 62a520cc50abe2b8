import type pg from 'pg'
import { timetable } from '../../src/billing/jobs/timetable.ts'
import type { Secrets } from '../../src/platform/secrets/secrets.ts'
import { ensureFirstStaff } from '../../src/platform/staff/staff-table.ts'
import { adminPassword } from '../../test/support/program.ts'

/** The password of every login. */
export const password = 'word'

const tables = [
  'admin_accounts',
  'abonents',
  'users',
  'finance_operations',
  'radius_sessions',
  'radius_live_sessions',
  'radius_ended_sessions',
  'audit_operations',
  'notifications',
  'payment_problems',
  'fiscal_receipts',
  'hdsks',
  'hdsk_messages',
  'coa_requests',
  'mailing_recipients',
  'cards',
] as const

/** Those whose ids go on by themselves. */
const numbered = tables.filter(
  (table) => !['radius_live_sessions', 'radius_ended_sessions', 'mailing_recipients'].includes(table),
)

/**
 * A provider with so many rows in each table that grows, as COPY would bring them: without triggers and foreign keys,
 * because the rows are right by construction, and with indexes built at the end. Names, types, dates and states are
 * drawn with the shares that they have in life, always the same ones.
 */
export async function fill(database: pg.Client, secrets: Secrets, rows: number): Promise<void> {
  const run = async (what: string, sql: string, values: unknown[] = []) => {
    const startedMs = performance.now()
    await database.query(sql, values)
    process.stderr.write(`${what}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`)
  }
  await database.query(
    `SET session_replication_role = replica; SET maintenance_work_mem = '512MB'; SELECT setseed(0.5)`,
  )
  const { rows: indexes } = await database.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = 'public' AND tablename = ANY ($1)
      AND indexname NOT IN (SELECT conname FROM pg_constraint WHERE contype IN ('p', 'u'))`,
    [tables],
  )
  for (const { name } of indexes) await database.query(`DROP INDEX ${name}`)
  // The program makes its administrator only where there is no staff at all.
  await ensureFirstStaff(database, { username: 'admin', password: adminPassword })
  for (const sql of dictionaries(rows)) await database.query(sql)
  await database.query('UPDATE nas SET secret = $1', [secrets.seal('testing123')])
  for (const [what, sql] of growing(rows)) await run(what, sql)
  await run(
    'users',
    `INSERT INTO users (id, abonent_id, login, password, ip, mac, pool_id, switch_id, switch_port, enabled, simultaneous_use, ipv6_prefix)
      SELECT n, n, 'user' || n, $1, CASE WHEN n % 4 > 0 THEN inet '10.0.0.0' + n END, lpad(to_hex(n), 12, '0')::macaddr,
        CASE WHEN n % 4 = 0 THEN 1 + n % 5 END, CASE WHEN n % 3 = 0 THEN 1 + n % 400 END, n % 48, ${balance} >= 0, 1,
        CASE WHEN n % 2 = 0 THEN ('2001:db8:' || to_hex(n >> 16) || ':' || to_hex(n & 65535) || '::/64')::cidr END
      FROM generate_series(1, ${rows}) AS n`,
    [secrets.seal(password)],
  )
  await run(
    'cards',
    `INSERT INTO cards (id, serial, pin, nominal, status, abonent_id, used_date)
      SELECT n, lpad(n::text, 12, '0'), $1, (1 + n % 10) * 1000000000000, (ARRAY['new', 'active', 'active', 'used', 'used', 'used', 'used'])[1 + n % 7],
        CASE WHEN n % 7 > 2 THEN n END, CASE WHEN n % 7 > 2 THEN timestamptz '2024-01-01' + n * interval '1 minute' END
      FROM generate_series(1, ${rows}) AS n`,
    [secrets.seal('1234')],
  )
  for (const { name, definition } of indexes) await run(name, definition)
  await database.query('SET session_replication_role = DEFAULT')
  await settle(database)
  await run('vacuum', 'VACUUM ANALYZE')
}

/** Keys that go on, counts that are kept, and jobs that have all just run. */
async function settle(database: pg.Client): Promise<void> {
  await database.query(`DELETE FROM row_counts`)
  await database.query(`INSERT INTO row_counts (table_name, bucket, rows)
    SELECT 'abonents', id >> 13, count(*) FROM abonents WHERE NOT deleted GROUP BY 2
    UNION ALL SELECT 'admin_accounts', id >> 13, count(*) FROM admin_accounts GROUP BY 2
    UNION ALL SELECT 'users', id >> 13, count(*) FROM users GROUP BY 2
    UNION ALL SELECT 'finance_operations', op_id >> 13, count(*) FROM finance_operations GROUP BY 2`)
  const small = ['tarifs', 'uslugas', 'nas', 'switches', 'ip_pulls', 'homes', 'abonent_folders']
  for (const table of [...small, 'staff', 'mailings', 'cash_shifts', ...numbered]) {
    const key = table === 'finance_operations' ? 'op_id' : 'id'
    await database.query(`SELECT setval(pg_get_serial_sequence($1, $2), (SELECT max(${key}) FROM ${table}))`, [
      table,
      key,
    ])
  }
  // As far as the program knows their octets are in the series of their logins, or it would count all at its start.
  await database.query('UPDATE traffic_state SET scanned_from = (SELECT max(id) + 1 FROM radius_sessions)')
  const jobs = Object.keys(timetable({ get: undefined as never }))
  await database.query(
    `INSERT INTO job_runs (name, started_at, ended_at, ok) SELECT name, now() - run * interval '5 minutes', now(), true
      FROM unnest($1::text[]) AS name, generate_series(0, 2000) AS run`,
    [jobs],
  )
}

const cities = 10
const streetNames = `ARRAY['Ленина', 'Мира', 'Садовая', 'Советская', 'Школьная', 'Лесная', 'Новая', 'Победы']`
/** Some twenty houses in a street, and fifty flats in a house. */
const streets = (rows: number): number => Math.ceil(rows / 1000)
const houses = (rows: number): number => Math.ceil(rows / 50)
const firstHouse = (rows: number): number => cities + streets(rows) + 1

const dictionaries = (rows: number): string[] => [
  `INSERT INTO staff (id, username, password_hash, role) SELECT n, 'staff' || n, '', 'operator' FROM generate_series(100, 149) AS n`,
  `INSERT INTO cash_shifts (id, staff_id, opened_at, closed_at, counted_cash, totals)
    SELECT n, 100 + n % 50, at, at + interval '9 hours', 0, '[]'
    FROM (SELECT n, now() - interval '2 years' + n * interval '1 hour' AS at FROM generate_series(1, 15000) AS n) AS made`,
  `INSERT INTO mailings (id, staff_id, user_name, asked, channel, title, text, state, total, done, starts_at)
    SELECT n, 100, 'staff100', '{}', 'auto', 'News', 'We work', 'done', ${Math.ceil(rows / 10)}, ${Math.ceil(rows / 10)}, now() FROM generate_series(1, 10) AS n`,
  `INSERT INTO organizations (id, name) SELECT n, 'Branch ' || n FROM generate_series(2, 5) AS n`,
  `INSERT INTO tarifs (id, name, price, speed_mbit) SELECT n, 'Home ' || n, n * 1000000000000, n * 10 FROM generate_series(1000, 1039) AS n`,
  `INSERT INTO uslugas (id, name, price) SELECT n, 'Service ' || n, n * 10000000000 FROM generate_series(1000, 1199) AS n`,
  `INSERT INTO nas (id, name, ip, secret, nas_type) SELECT n, 'nas ' || n, inet '10.250.0.0' + n, '', 'mikrotik' FROM generate_series(1, 50) AS n`,
  `INSERT INTO switches (id, name, ip) SELECT n, 'switch ' || n, inet '10.251.0.0' + n FROM generate_series(1, 400) AS n`,
  `INSERT INTO ip_pulls (id, name, network) SELECT n, 'pool ' || n, ('100.' || 64 + n || '.0.0/16')::cidr FROM generate_series(1, 5) AS n`,
  `INSERT INTO homes (id, kind, name) SELECT n, 'city', 'Город ' || n FROM generate_series(1, ${cities}) AS n`,
  `INSERT INTO homes (id, parent_id, kind, name) SELECT ${cities} + n, 1 + n % ${cities}, 'street', 'ул. ' || (${streetNames})[1 + n / ${cities} % 8] || ' ' || n
    FROM generate_series(1, ${streets(rows)}) AS n`,
  `INSERT INTO homes (id, parent_id, kind, name) SELECT ${firstHouse(rows)} + n, ${cities} + 1 + n % ${streets(rows)}, 'house', (1 + n / ${streets(rows)})::text
    FROM generate_series(0, ${houses(rows) - 1}) AS n`,
  `INSERT INTO abonent_folders (id, name, organization_id) SELECT n, 'District ' || n, 1 FROM generate_series(1, 200) AS n`,
  `INSERT INTO fiscal_configs (id, name, organization_id, url, login, password, group_code, inn, payment_address, company_email, tax_system)
    SELECT 1, 'register', 1, 'https://example.org', '', '', '', '', '', '', 'osn' WHERE NOT EXISTS (SELECT FROM fiscal_configs)`,
]

/** One of five is in debt, and blocked for it; nobody else is switched off. */
const balance = `((n::int8 * 7919 % 2000) - 400) * 10000000000`

const surnames = `(ARRAY['Иванов', 'Петров', 'Сидоров', 'Кузнецов', 'Смирнов', 'Попов', 'Волков', 'Соколов'])[1 + (random() * 7)::int]`
const forenames = `(ARRAY['Иван', 'Пётр', 'Анна', 'Мария', 'Олег', 'Ольга'])[1 + (random() * 5)::int]`

/** A row in `n`, whose subscriber, account and login have the same number. */
const growing = (rows: number): [string, string][] => {
  const each = `FROM generate_series(1, ${rows}) AS n`
  const owner = `(1 + (random() * ${rows - 1})::int8)`
  // The last two years, evenly.
  const moment = `now() - interval '1 second' * ${(63_000_000 / rows).toFixed(6)} * (${rows} - n)`
  return [
    [
      'admin_accounts',
      `INSERT INTO admin_accounts (id, ostatok, debit, credit, debt_since, create_date)
        SELECT n, balance, 20000000000000, 20000000000000 - balance, CASE WHEN balance < 0 THEN now() - n::int8 * 7907 % 700 * interval '1 day' END, timestamptz '2016-01-01' + n * interval '5 minutes'
        FROM (SELECT n, ${balance} AS balance ${each}) AS made`,
    ],
    [
      'abonents',
      `INSERT INTO abonents (id, name, contract_number, email, sms, enabled, tarif_id, account_id, create_date, company, address, organization_id,
          parent_id, home_id, flat, deleted)
        SELECT n, ${surnames} || ' ' || ${forenames} || ' ' || n, lpad(n::text, 8, '0'), 'client' || n || '@example.ru',
          '+79' || lpad((random() * 999999999)::int8::text, 9, '0'), ${balance} >= 0, 1000 + (random() * 39)::int, n,
          timestamptz '2016-01-01' + random() * interval '10 years', random() < 0.03,
          'Москва, ул. Ленина, ' || (random() * 300)::int || ', кв. ' || (random() * 200)::int,
          CASE WHEN n % 10 = 0 THEN 2 + n % 4 ELSE 1 END, 1 + n % 200, ${firstHouse(rows)} + n % ${houses(rows)}, (1 + n / ${houses(rows)})::text, n % 200 = 0 ${each}`,
    ],
    ['abonents_block', `INSERT INTO abonents_block (abonent_id, b_negbal) SELECT n, true ${each} WHERE ${balance} < 0`],
    [
      'finance_operations',
      `INSERT INTO finance_operations (op_id, op_date, system_date, op_summa, op_type_id, abonent_id, account_id, owner_id, descr, organization_id,
          storno, usluga_id, number, operator_name, operator_pay_id_str, txn, aa_ostatok)
        SELECT n, moment, moment, CASE WHEN type IN (9, 32) THEN -1 ELSE 1 END * (50 + (random() * 1500)::int8) * 10000000000, type, owner, owner,
          CASE WHEN n % 30 = 0 THEN 100 + n % 50 END, 'operation ' || CASE WHEN type = 23 THEN '[txn:' || n || ']' ELSE 'of tariff' END,
          CASE WHEN owner % 10 = 0 THEN 2 + owner % 4 ELSE 1 END, random() < 0.001, CASE WHEN type = 40 THEN 1000 + n % 200 END,
          CASE WHEN type = 24 THEN 'B' || n END, CASE WHEN type = 23 THEN 'Gateway A' END, CASE WHEN type = 23 THEN 'pay' || n END,
          CASE WHEN type = 23 THEN 't' || n END, CASE WHEN random() < 0.3 THEN 0 ELSE 1 END * 100000000000000
        FROM (SELECT n, ${moment} AS moment, CASE WHEN random() < 0.005 THEN 4711 WHEN n % 200 = 0 THEN 1 ELSE ${owner} END AS owner,
          CASE WHEN n % 400 = 0 THEN 24 ELSE (ARRAY[32, 32, 32, 32, 32, 32, 23, 23, 23, 23, 7, 9, 40])[1 + (random() * 12)::int] END AS type ${each}) AS made`,
    ],
    [
      'money_keys',
      `INSERT INTO money_keys (key, account_id, op_id, amount) SELECT 'txn:' || txn, account_id, op_id, op_summa FROM finance_operations WHERE txn IS NOT NULL`,
    ],
    [
      'radius_sessions',
      `INSERT INTO radius_sessions (id, login, user_id, abonent_id, organization_id, nas_id, nas_ip, acct_session_id, framed_ip, mac,
          calling_station_id, started_at, updated_at, session_time, input_octets, output_octets, ended_at, end_reason, terminate_cause)
        SELECT n, 'user' || owner, owner, owner, 1, 1 + n % 50, inet '10.250.0.1' + n % 50, to_hex(n), inet '10.0.0.0' + owner, '02:00:00:00:00:01',
          '02-00-00-00-00-01', moment, moment + interval '1 hour', 3600, n::int8 * 1000, n::int8 * 9000, moment + interval '1 hour', 'User-Request', 'User-Request'
        FROM (SELECT n, ${moment} AS moment, ${owner} AS owner ${each}) AS made`,
    ],
    [
      'ended sessions',
      `INSERT INTO radius_ended_sessions (session_id, nas_id, ended_at) SELECT id, nas_id, ended_at FROM radius_sessions`,
    ],
    // Three of ten are online, and one of fifty has gone within the last hour.
    [
      'live and latest sessions',
      `INSERT INTO radius_sessions (id, login, user_id, abonent_id, organization_id, nas_id, nas_ip, acct_session_id, framed_ip, mac,
          calling_station_id, started_at, updated_at, session_time, input_octets, output_octets, ended_at, end_reason)
        SELECT ${rows} + n, 'user' || n, n, n, CASE WHEN n % 10 = 0 THEN 2 + n % 4 ELSE 1 END, 1 + n % 50, inet '10.250.0.1' + n % 50, 'l' || to_hex(n),
          inet '10.0.0.0' + n, '02:00:00:00:00:01', '02-00-00-00-00-01', now() - n * interval '1 day' / ${rows} - interval '1 hour', now(), 3600, n, n,
          CASE WHEN n % 50 = 49 THEN now() - n * interval '1 hour' / ${rows} END, CASE WHEN n % 50 = 49 THEN 'NAS-Reboot' END
        FROM generate_series(1, ${rows}) AS n WHERE n % 10 < 3 OR n % 50 = 49`,
    ],
    [
      'live sessions',
      `INSERT INTO radius_live_sessions (session_id, nas_id) SELECT id, nas_id FROM radius_sessions WHERE ended_at IS NULL`,
    ],
    [
      'latest ends',
      `INSERT INTO radius_ended_sessions (session_id, nas_id, ended_at)
        SELECT id, nas_id, ended_at FROM radius_sessions WHERE id > ${rows} AND ended_at IS NOT NULL`,
    ],
    [
      'coa_requests',
      `INSERT INTO coa_requests (id, nas_id, request, login, subscriber_id, sent_at, answered_at, result)
        SELECT n, 1 + n % 50, CASE WHEN n % 3 = 0 THEN 'coa' ELSE 'disconnect' END, 'user' || owner, owner, at, at + interval '20 ms',
          (ARRAY['ack', 'ack', 'ack', 'nak', 'no_answer'])[1 + n % 5]
        FROM (SELECT n, ${owner} AS owner, now() - interval '90 days' * (${rows} - n) / ${rows} AS at ${each}) AS made`,
    ],
    ['days', 'SELECT radius_auth_log_add_day(current_date - ahead) FROM generate_series(-2, 31) AS ahead'],
    [
      'radius_auth_log',
      `INSERT INTO radius_auth_log (at, id, accepted, reason, login, abonent_id, organization_id, nas_id, mac, port, count)
        SELECT now() - n * interval '30 days' / ${rows}, n, false,
          CASE WHEN n % 5000 = 0 THEN 'asleep' ELSE (ARRAY['unknown_login', 'wrong_password', 'blocked_debt', 'blocked_debt'])[1 + n % 4] END,
          'user' || owner, CASE WHEN n % 4 > 0 THEN owner END, CASE WHEN n % 4 > 0 THEN 1 + n % 5 END, 1 + n % 50, '02:00:00:00:00:01', n % 4096, 1 + n % 7
        FROM (SELECT n, ${owner} AS owner ${each}) AS made`,
    ],
    [
      'audit_operations',
      `INSERT INTO audit_operations (id, at, user_id, user_name, address, table_name, object_id, action, diff, organization_id)
        SELECT n, ${moment}, CASE WHEN n % 3 = 0 THEN 100 + n % 50 END, CASE WHEN n % 3 = 0 THEN 'staff' || 100 + n % 50 WHEN n % 3 = 1 THEN 'charges' END,
          CASE WHEN n % 3 = 0 THEN '10.1.1.1' END,
          CASE WHEN n % 5000 = 0 THEN 'TARIFS' ELSE (ARRAY['ABONENTS', 'USERS', 'FINANCE_OPERATIONS', 'FINANCE_OPERATIONS', 'ABONENTS_BLOCK'])[1 + n % 5] END,
          ${owner}::text, 'change', '{"enabled": [false, true]}', CASE WHEN n % 20 = 0 THEN NULL ELSE 1 + n % 5 END ${each}`,
    ],
    [
      'notifications',
      `INSERT INTO notifications (id, account_id, subscriber_id, kind, mailing_id, error, channel, address, text, state, attempts, next_try_at, created_at, sent_at, expires_at)
        SELECT n, owner, owner, CASE WHEN n % 2 = 0 THEN 'mailing' ELSE 'low_balance' END, CASE WHEN n % 2 = 0 THEN 1 + n / 2 % 10 END,
          CASE WHEN state = 'failed' THEN 'timeout' END, (ARRAY['sms', 'sms', 'sms', 'email', 'push'])[1 + n % 5], '+79160000000', 'Balance is low', state, 1,
          CASE WHEN state = 'waiting' THEN now() + interval '1 day' END, moment, moment, now() + interval '2 days'
        FROM (SELECT n, ${moment} AS moment, ${owner} AS owner, CASE WHEN n > ${rows - 500} THEN 'waiting' WHEN n % 100 = 0 THEN 'failed' ELSE 'sent' END AS state
          ${each}) AS made`,
    ],
    [
      'payment_problems',
      `INSERT INTO payment_problems (id, created_at, last_at, gateway, protocol, reason, detail, subscriber_id, organization_id, notice, fingerprint, resolved_at)
        SELECT n, ${moment}, ${moment}, 'gwa', 'rest', 'unknownOrder', 'no such order', NULL, CASE WHEN n % 10 = 0 THEN 2 ELSE 1 END, '{}', n::text,
          CASE WHEN n % 1000 > 0 THEN now() END ${each}`,
    ],
    [
      'fiscal_receipts',
      `INSERT INTO fiscal_receipts (id, op_id, organization_id, config_id, direction, external_id, amount, contact, request, state, due_at, created_at, done_at)
        SELECT n, n, 1, 1, 'sell', 'r' || n, 5000000000000, 'client@example.ru', '{}', CASE WHEN n % 1000 = 0 THEN 'refused' ELSE 'done' END,
          ${moment}, ${moment}, CASE WHEN n % 1000 > 0 THEN ${moment} END ${each}`,
    ],
    [
      'hdsks',
      `INSERT INTO hdsks (id, abonent_id, subject, body, status, create_date, last_at, assignee_id, last_author, last_message_id)
        SELECT n, ${owner}, 'No link ' || n, 'since yesterday', CASE WHEN n % 500 = 0 THEN 'open' WHEN n % 500 = 1 THEN 'in_progress' ELSE 'closed' END, ${moment}, ${moment},
          CASE WHEN n % 5 > 0 THEN 100 + n % 50 END, CASE WHEN n % 3 = 0 THEN 'client' WHEN n % 3 = 1 THEN 'staff' END, CASE WHEN n % 3 < 2 THEN n END ${each}`,
    ],
    [
      'hdsk_messages',
      `INSERT INTO hdsk_messages (id, hdsk_id, author, staff_id, body, create_date)
        SELECT id, id, last_author, assignee_id, 'It is so still', last_at FROM hdsks WHERE last_message_id IS NOT NULL`,
    ],
    [
      'mailing_recipients',
      `INSERT INTO mailing_recipients (mailing_id, subscriber_id, skipped)
        SELECT 1 + n % 10, n, CASE WHEN n % 70 < 10 THEN 'no_address' END ${each}`,
    ],
  ]
}
