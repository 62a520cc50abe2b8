import pg from 'pg'
import t, { type Test } from 'tap'
import { AccountStore } from '../../../src/billing/accounts/account-store.ts'
import { AccountActors } from '../../../src/billing/accounts/accounts.ts'
import { columnNames } from '../../../src/billing/importing/columns.ts'
import { verifyLedger } from '../../../src/billing/jobs/ledger/verification.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { Events } from '../../../src/domain/events.ts'
import { accountId, subscriberId } from '../../../src/domain/ids.ts'
import { parseRubles } from '../../../src/domain/money.ts'
import { operationTypes } from '../../../src/domain/operation.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { asUnavailable, type Database } from '../../../src/platform/storage/database.ts'
import { emptyFolder } from '../../app/processes.ts'
import { SharedDatabase } from '../../support/database.ts'
import { violations } from '../../support/invariants.ts'
import { header, ImportRun } from './import-run.ts'
import { secretsIn } from '../../support/secrets.ts'
import { until } from '../../support/until.ts'

const shared = await SharedDatabase.open(t)

// Each run is a process that reads the whole program; on a busy machine that adds up.

const dictionaries = `
  INSERT INTO organizations (id, name) VALUES (2, 'Branch');
  INSERT INTO tarifs (id, name, price) VALUES (1, 'Home', 0), (2, '1', 0), (3, 'Twin', 0), (4, 'Twin', 0);
  INSERT INTO abonent_folders (id, parent_id, organization_id, name) VALUES
    (1, NULL, 1, 'Moscow'), (2, 1, 2, 'North'), (3, NULL, 1, 'Tver'), (4, 3, 1, 'North')`

async function provider(t: Test) {
  const database = await shared.anew()
  const { url } = shared
  await database.pool.query(dictionaries)
  const dataDir = emptyFolder(t)
  return { url, database, pool: database.pool, dataDir, importing: new ImportRun(t, dataDir, { DATABASE_URL: url }) }
}

/** Every row of every table an import writes, as one text. */
async function contents({ pool }: Database): Promise<string> {
  const tables = [
    'admin_accounts',
    'abonents',
    'abonents_block',
    'users',
    'finance_operations',
    'money_keys',
    'audit_operations',
  ]
  const texts = tables.map(
    (name) => `SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS rows FROM ${name} AS t`,
  )
  const { rows } = await pool.query<{ rows: string }>(texts.join('\nUNION ALL\n'))
  return rows.map(({ rows }) => rows).join('\n---\n')
}

t.test('what the file is to look like is said before anything is done', async (t) => {
  const dataDir = emptyFolder(t)
  // Nobody listens there: a file that cannot be used is refused before the database is asked.
  const importing = new ImportRun(t, dataDir, { DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  const help = await importing.run('--help')
  t.equal(help.status, 0)
  for (const name of columnNames) t.match(help.text, name)
  t.match(help.text, /A contract number that exists is left as it is/)
  t.match(await importing.run('--apply'), { status: 1, text: /^<file\.csv> is missing/ })
  t.match(await importing.run('/nowhere/x.csv'), { status: 1, text: /^\/nowhere\/x\.csv cannot be read: ENOENT/ })
  const refused: [text: string, sentence: RegExp][] = [
    ['contract_number,name,colour\n', /^The header has "colour"\. The columns are contract_number, name, login,/],
    ['contract_number,name,name\n', /^The header has the column name twice\.$/],
    ['name;login\n', /^The header lacks contract_number\. The columns are/],
    ['', /^The file has no header in its first line\.$/],
  ]
  for (const [text, sentence] of refused) t.match(await importing.check(text), { status: 1, text: sentence }, text)
})

/** Lines behind the header, and what is said about each; null: it is good. */
const lines: readonly [line: string, fault: string | null][] = [
  [
    'A-1;Ivan;ivan;secret;10.0.0.1;AA-BB-CC-00-00-01;Home;100,50;0;ivan@example.org;+7 916 123-45-67;Moscow/North',
    null,
  ],
  ['A-2;"Romashka; ""OOO""";;;;;1;-12.5;0;;;2', null],
  ['A-3;Petr;petr;" pa;ss";;aabb.cc00.0003;;-5;-10;;;Moscow', null],
  ['A-4;Anna;anna;secret;;;;;;;;', null],
  ['A-5;Debt to the limit;debtor;secret;;;3;0;0.01;;;', null],
  [';No number;;;;;;;;;;', 'contract_number is empty'],
  ['B-1;;;;;;;;;;;', 'name is empty'],
  [
    'B-2;X;no password;;;;;;;;;',
    'login "no password" is not a login (without spaces, at most 253 bytes); a login needs a password',
  ],
  ['B-3;X;x3;secret;10.0.0.256;;;;;;;', 'ip "10.0.0.256" is not an IPv4 address'],
  ['B-4;X;x4;secret;;aa:bb:cc:00:00;;;;;;', 'mac "aa:bb:cc:00:00" is not a MAC address'],
  ['B-5;X;;;10.0.0.9;;;;;;;', 'ip and mac belong to a login, and there is none'],
  ['B-6;X;;;;;Gold;;;;;', 'tarif "Gold" is unknown'],
  ['B-7;X;;;;;Twin;;;;;', 'tarif "Twin" is the name of several; give the id'],
  ['B-8;X;;;;;;;;;;Nowhere', 'folder "Nowhere" is unknown'],
  ['B-9;X;;;;;;;;;;North', 'folder "North" is the name of several; give the id'],
  ['B-10;X;;;;;;1.234;;;;', 'balance "1.234" is not rubles with at most two places'],
  ['B-11;X;;;;;;;1 000;;;', 'limit "1 000" is not rubles with at most two places'],
  ['B-12;X;;;;;;922337204;;;;', 'balance "922337204" is not rubles with at most two places'],
  ['B-13;X;;;;;;;;not-mail;;', 'email "not-mail" is not an e-mail address'],
  ['A-1;Again;;;;;;;;;;', 'contract_number "A-1" stands in line 2 already'],
  ['B-14;X;ivan;secret;;;;;;;;', 'login "ivan" stands in line 2 already'],
  ['B-15;X;taken;secret;;;;;;;;', 'login "taken" belongs to contract_number "X"'],
  ['GONE;X;;;;;;;;;;', 'contract_number "GONE" belongs to a deleted subscriber'],
  ['B-16;X', 'the line has 2 fields, the header 12'],
  ['B-17;"two\nlines";;;;;;;;;;', 'a field has a control character or a line break'],
  [
    'B-18;X;x18;secret;300.1.1.1;zz;Gold;x;y;z;;Q',
    'ip "300.1.1.1" is not an IPv4 address; mac "zz" is not a MAC address; tarif "Gold" is unknown; folder "Q" is unknown; email "z" is not an e-mail address; balance "x" is not rubles with at most two places; limit "y" is not rubles with at most two places',
  ],
  [`B-19;X;x19;${'p'.repeat(129)};;;;;;;;`, 'password is longer than 128 characters'],
  [
    'B-21;X;x21;{NT}secret;;;;;;;;',
    'password must be a clear password, or a hash such as {NT}…, {CRYPT}$6$…, {SSHA}…; {CLEAR} introduces a clear password that begins like one',
  ],
  ['B-20;"not closed;;;;;;;;;;', 'a quoted field is not closed'],
]
const goodMax = lines.filter(([, fault]) => fault === null).length

/** As a spreadsheet saves it: a byte order mark, CRLF, a last row of nothing. */
const text = `\ufeff${[header, ...lines.map(([line]) => line), ';;;;;;;;;;;'].join('\r\n')}\r\n`

/** By the line of the file: a record may take two. */
function expectedFaults(): string[] {
  let number = 2
  return lines.flatMap(([line, fault]) => {
    const told = fault === null ? [] : [`line ${number}: ${fault}`]
    number += line.split('\n').length
    return told
  })
}

const faultsIn = (text: string) => text.split('\n').filter((line) => line.startsWith('line '))

t.test('good lines become subscribers, bad ones are listed', async (t) => {
  const { database, pool, dataDir, importing } = await provider(t)
  await pool.query(`
    INSERT INTO admin_accounts (id) OVERRIDING SYSTEM VALUE VALUES (1000), (1001);
    INSERT INTO abonents (id, name, contract_number, account_id, organization_id, deleted) VALUES (1000, 'x', 'X', 1000, 1, false),
      (1001, 'gone', 'GONE', 1001, 1, true);
    INSERT INTO users (id, abonent_id, login, password) VALUES (1000, 1000, 'taken', '')`)
  const before = await contents(database)

  await t.test('without --apply nothing is written', async (t) => {
    const { status, text: told } = await importing.check(text)
    t.equal(status, 1)
    t.strictSame(faultsIn(told), expectedFaults())
    t.match(told, `29 lines: ${goodMax} to be imported, 0 known, 24 bad. Nothing was written; --apply imports.`)
    t.equal(await contents(database), before)
  })

  await t.test('with --apply the good lines are imported', async (t) => {
    const { status, text: told } = await importing.apply(text)
    t.equal(status, 1)
    t.strictSame(faultsIn(told), expectedFaults())
    t.match(told, `29 lines: ${goodMax} imported, 0 known, 24 bad.`)
    const secrets = secretsIn(dataDir)
    const { rows } =
      await pool.query(`SELECT contract_number, name, abonents.enabled, tarif_id, parent_id, organization_id, email, sms,
        ostatok, debit, credit, "limit", login, password, host(ip) AS ip, mac::text, users.enabled AS login_enabled,
        b_negbal, b_admin
      FROM abonents JOIN admin_accounts ON admin_accounts.id = account_id LEFT JOIN users ON abonent_id = abonents.id
        LEFT JOIN abonents_block AS block ON block.abonent_id = abonents.id
      WHERE contract_number LIKE 'A-%' ORDER BY contract_number`)
    const units = '00000000'
    t.match(rows, [
      {
        contract_number: 'A-1',
        name: 'Ivan',
        enabled: true,
        tarif_id: '1',
        parent_id: '2',
        organization_id: '2',
        email: 'ivan@example.org',
        sms: '+7 916 123-45-67',
        ostatok: `10050${units}`,
        debit: `10050${units}`,
        credit: '0',
        limit: '0',
        login: 'ivan',
        ip: '10.0.0.1',
        mac: 'aa:bb:cc:00:00:01',
        login_enabled: true,
        b_negbal: null,
      },
      {
        contract_number: 'A-2',
        name: 'Romashka; "OOO"',
        enabled: false,
        tarif_id: '2',
        parent_id: '2',
        organization_id: '2',
        email: null,
        ostatok: `-1250${units}`,
        debit: '0',
        credit: `1250${units}`,
        login: null,
        b_negbal: true,
        b_admin: false,
      },
      {
        contract_number: 'A-3',
        enabled: true,
        tarif_id: null,
        parent_id: '1',
        organization_id: '1',
        ostatok: `-500${units}`,
        limit: `-1000${units}`,
        mac: 'aa:bb:cc:00:00:03',
        login_enabled: true,
        b_negbal: null,
      },
      {
        contract_number: 'A-4',
        enabled: true,
        parent_id: null,
        organization_id: '1',
        ostatok: '0',
        debit: '0',
        credit: '0',
        login: 'anna',
      },
      {
        contract_number: 'A-5',
        enabled: false,
        tarif_id: '3',
        ostatok: '0',
        limit: `1${units}`,
        login_enabled: false,
        b_negbal: true,
      },
    ])
    t.equal(rows.length, goodMax)
    t.equal(secrets.open(rows[0].password), 'secret')
    t.equal(secrets.open(rows[2].password), ' pa;ss', 'a password is taken as it is')
    t.strictSame(await violations(pool, 'settled'), [])
  })

  await t.test('the same file again changes nothing', async (t) => {
    const imported = await contents(database)
    const { status, text: told } = await importing.apply(text)
    t.equal(status, 1)
    t.match(told, `29 lines: 0 imported, ${goodMax} known, 24 bad.`)
    t.notMatch(told, /would differ/)
    t.strictSame(faultsIn(told), expectedFaults())
    t.equal(await contents(database), imported)
  })

  await t.test('a known contract number is left as it is, and what its line says otherwise is told', async (t) => {
    const imported = await contents(database)
    const changed = [
      header,
      'A-1;Ivan II;ivan;other;10.0.0.2;;1;999;5;new@example.org;;Moscow',
      'A-4;Anna;anna2;x;;;;;;;;',
    ]
    const { status, text: told } = await importing.apply(changed.join('\n'))
    t.equal(status, 0)
    t.strictSame(faultsIn(told), [
      'line 2: contract_number "A-1" is known and stays as it is; name, ip, tarif, limit, email, folder would differ',
      'line 3: contract_number "A-4" is known and stays as it is; login would differ',
    ])
    t.match(told, '2 lines: 0 imported, 2 known, 0 bad.')
    t.equal(await contents(database), imported)
  })

  await t.test('money is not posted twice, not even under a contract number that was given up', async (t) => {
    await pool.query(`UPDATE abonents SET contract_number = 'A-2-old' WHERE contract_number = 'A-2'`)
    const renamed = await contents(database)
    const { status, text: told } = await importing.apply(`${header}\nA-2;Romashka;;;;;;-12.5;;;;\n`)
    t.equal(status, 1)
    t.match(told, /line 2: the balance of contract_number "A-2" was imported before \(operation \d+\)/)
    t.equal(await contents(database), renamed)
  })
})

t.test('the rows are those the account would have written itself', async (t) => {
  const { database, pool, importing } = await provider(t)
  for (const [contract, balance] of [
    ['PLUS', '1234.05'],
    ['MINUS', '-0.50'],
  ] as const) {
    t.match(
      await importing.apply(`contract_number,name,login,password,balance\n${contract},X,${contract},x,${balance}\n`),
      { status: 0 },
    )
    // The same by the actor, for an account made as a face makes it.
    const { rows } = await pool.query(`WITH account AS (INSERT INTO admin_accounts DEFAULT VALUES RETURNING id),
      abonent AS (INSERT INTO abonents (name, contract_number, account_id, organization_id) SELECT 'X', 'A-${contract}', id, 1 FROM account RETURNING id, account_id),
      login AS (INSERT INTO users (abonent_id, login, password) SELECT id, 'A-${contract}', '' FROM abonent)
      SELECT id, account_id FROM abonent`)
    const accounts = new AccountActors({
      store: new AccountStore(database.ledger),
      events: new Events(() => {}),
      clock: systemClock,
      asUnavailable,
    })
    const [sign, typeId] =
      contract === 'PLUS' ? [1 as const, operationTypes.manualReceipt] : [-1 as const, operationTypes.manualExpense]
    const posted = await accounts.ask(
      accountId(rows[0].account_id),
      {
        kind: 'post',
        typeId,
        sign,
        amount: parseRubles(balance)!,
        subscriberId: subscriberId(rows[0].id),
        movedAt: null,
        description: '[legacy] Opening balance',
        details: { isAccounting: false },
        keys: [`import:A-${contract}`],
      },
      systemAuthor('import_subscribers'),
    )
    t.equal(posted.kind, 'done')
    await accounts.stop()
    t.strictSame(await shapeOf(pool, contract), await shapeOf(pool, `A-${contract}`), contract)
  }
})

/** What there is of a subscriber and its account, without numbers and moments. */
async function shapeOf(pool: pg.Pool, contract: string) {
  const { rows } = await pool.query(
    `SELECT to_jsonb(account) - 'id' - 'version' - 'create_date' - 'last_operation_id' - 'chain_head' - 'debt_since' AS account,
      account.debt_since IS NOT DISTINCT FROM CASE WHEN account.ostatok < 0 THEN date_trunc('milliseconds', operation.system_date) END AS is_since,
      account.last_operation_id = operation.op_id AS is_last, account.chain_head = operation.chain_hash AS is_head, to_jsonb(abonent) - 'id' - 'account_id' - 'contract_number' - 'create_date' AS abonent,
      to_jsonb(block) - 'abonent_id' - 'create_date' - 'change_date' AS block, login.enabled AS login_enabled,
      to_jsonb(operation) - 'op_id' - 'account_id' - 'abonent_id' - 'op_date' - 'system_date' - 'chain_hash' AS operation,
      operation.op_date = operation.system_date AS is_recorded_at_once, key.amount, key.account_id = account.id AS is_key_of_account,
      (SELECT jsonb_agg(to_jsonb(audit) - 'id' - 'at' - 'object_id' || jsonb_build_object('diff', diff - 'op_id') ORDER BY table_name, action)
        FROM audit_operations AS audit WHERE action <> 'create' AND (table_name, object_id) IN
          (('ADMIN_ACCOUNTS', account.id::text), ('ABONENTS_BLOCK', abonent.id::text))
          OR (table_name, object_id) = ('FINANCE_OPERATIONS', operation.op_id::text)) AS audits
    FROM abonents AS abonent JOIN admin_accounts AS account ON account.id = abonent.account_id
      JOIN users AS login ON login.abonent_id = abonent.id JOIN finance_operations AS operation ON operation.account_id = account.id
      JOIN money_keys AS key ON key.op_id = operation.op_id
      LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id
    WHERE contract_number = $1 AND key.key = 'import:' || contract_number`,
    [contract],
  )
  return rows
}

/** More than a chunk of five thousand. */
const many = 5_200

t.test('an import that was killed half-way ends with the same result when it is run again', async (t) => {
  const { pool, importing } = await provider(t)
  const rows = Array.from(
    { length: many },
    (_, n) => `${n};Subscriber ${n};line${n};secret;;;Home;${(n % 200) - 100};0;;;`,
  )
  const path = importing.file([header, ...rows].join('\n'))
  const count = async () => Number((await pool.query('SELECT count(*) FROM abonents')).rows[0].count)
  // Somebody holds a contract number of the second chunk, so that the import cannot come to its end before it is killed.
  const other = await pool.connect()
  await other.query(`BEGIN; WITH account AS (INSERT INTO admin_accounts DEFAULT VALUES RETURNING id)
    INSERT INTO abonents (name, contract_number, account_id, organization_id) SELECT 'Other', '${many - 1}', id, 1 FROM account`)
  const cut = importing.start([path, '--apply'])
  await until(async () => (await count()) > 0)
  cut.child.kill('SIGKILL')
  t.strictSame(await cut.ended, { status: null, signal: 'SIGKILL' })
  await other.query('ROLLBACK')
  other.release()
  const half = await count()
  t.ok(half > 0 && half < many, `${half} of ${many}`)
  t.strictSame(await violations(pool, 'settled'), [])
  const { status, text: told } = await importing.run(path, '--apply')
  t.equal(status, 0)
  t.match(told, '5,200 lines: ')
  const sums =
    await pool.query(`SELECT count(*)::int4 AS subscribers, count(DISTINCT contract_number)::int4 AS contracts,
      (SELECT count(*)::int4 FROM users) AS logins, (SELECT count(*)::int4 FROM finance_operations) AS operations,
      (SELECT sum(ostatok)::text FROM admin_accounts) AS sum FROM abonents`)
  const balances = Array.from({ length: many }, (_, n) => (n % 200) - 100)
  t.strictSame(sums.rows, [
    {
      subscribers: many,
      contracts: many,
      logins: many,
      operations: balances.filter((balance) => balance !== 0).length,
      sum: `${balances.reduce((sum, balance) => sum + balance, 0)}0000000000`,
    },
  ])
  t.strictSame(await violations(pool, 'settled'), [])
  const client = await pool.connect()
  t.match(await verifyLedger(client).finally(() => client.release()), { broken: 0 }, 'and the ledger proves itself')
})

t.test('a contract number that somebody takes meanwhile is found known', async (t) => {
  const { url, pool, importing } = await provider(t)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.teardown(() => other.end())
  await other.query('BEGIN')
  await other.query(`WITH account AS (INSERT INTO admin_accounts DEFAULT VALUES RETURNING id)
    INSERT INTO abonents (name, contract_number, account_id, organization_id) SELECT 'Other', 'A-2', id, 1 FROM account`)
  const path = importing.file(`${header}\nA-1;One;one;x;;;;5;;;;\nA-2;Two;two;x;;;;5;;;;\n`)
  const running = importing.run(path, '--apply')
  const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await until(async () => (await pool.query(waits)).rows.length > 0)
  await other.query('COMMIT')
  t.match(await running, { status: 0, text: '2 lines: 1 imported, 1 known, 0 bad.' })
  t.match((await pool.query('SELECT contract_number, name FROM abonents ORDER BY 1')).rows, [
    { contract_number: 'A-1', name: 'One' },
    { contract_number: 'A-2', name: 'Other' },
  ])
})

t.test('a chunk is created while another waits for somebody', async (t) => {
  const { pool, importing } = await provider(t)
  const rows = Array.from({ length: many }, (_, n) => `${n};Subscriber ${n}`)
  const path = importing.file(['contract_number;name', ...rows].join('\n'))
  const other = await pool.connect()
  await other.query(`BEGIN; WITH account AS (INSERT INTO admin_accounts DEFAULT VALUES RETURNING id)
    INSERT INTO abonents (name, contract_number, account_id, organization_id) SELECT 'Other', '0', id, 1 FROM account`)
  const running = importing.run(path, '--apply')
  // The first chunk waits for the contract number, so these are of the second.
  await until(async () => (await pool.query('SELECT FROM abonents LIMIT 1')).rows.length > 0)
  await other.query('COMMIT')
  other.release()
  t.match(await running, { status: 0, text: '5,200 lines: 5,199 imported, 1 known, 0 bad.' })
  t.match((await pool.query('SELECT count(DISTINCT contract_number)::int4 FROM abonents')).rows, [{ count: many }])
  t.strictSame(await violations(pool, 'settled'), [])
})

t.test('a line with bytes that are not UTF-8 is refused', async (t) => {
  const { importing } = await provider(t)
  const windows1251 = Buffer.from([0xc8, 0xe2, 0xe0, 0xed])
  const { status, text: told } = await importing.check(
    Buffer.concat([Buffer.from('contract_number;name\n1;'), windows1251, Buffer.from('\n2;Иван\n')]),
  )
  t.equal(status, 1)
  t.strictSame(faultsIn(told), ['line 2: the line is not UTF-8'])
  t.match(told, '2 lines: 1 to be imported')
})
