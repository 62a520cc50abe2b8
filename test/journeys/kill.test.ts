import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { migratedDataDir } from '../support/data-folder.ts'
import { RunningProgram } from '../support/program.ts'
import { type Client, linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { until } from '../support/until.ts'

const clientsMax = 30
const acknowledgedEnough = 400

t.test(
  'killed in a storm of payments, the program loses none, repeats none, and still cuts every blocked line',
  async (t) => {
    const ports = { auth: await freeUdpPort(), acct: await freeUdpPort() }
    const env = { TOLLGATE_RADIUS_AUTH_PORT: String(ports.auth), TOLLGATE_RADIUS_ACCT_PORT: String(ports.acct) }
    const program = await new RunningProgram(env, migratedDataDir()).start()
    t.teardown(async () => {
      await program.stop()
      program.remove()
    })
    const cut = new Set<string>()
    let told = () => {}
    const nas = await simulateNas(program, '127.0.0.31', (login) => {
      cut.add(login)
      told()
    })
    t.teardown(() => nas.stop())
    const clients = await signUp(program, clientsMax)
    for (const { login } of clients) t.match(await nas.signIn(login, linePassword, login), { kind: 'accepted' })

    const attempted = new Map<string, Client>()
    const acknowledged = new Map<string, number>()
    let enough = () => {}
    const stormy = new Promise<void>((resolve) => {
      enough = resolve
    })
    let isRunning = true
    /**
     * An expense first, so that the line is blocked; then receipts and expenses that lift and set the block in turn.
     */
    const pay = async (client: Client) => {
      for (let n = 0; isRunning; n++) {
        const key = `storm-${client.account}-${n}`
        const body = {
          account: client.account,
          op_type: n % 2 === 0 ? 9 : 7,
          op_summa: (n % 2 === 0 ? 1 : 2) * ruble,
          txn: key,
          descr: key,
        }
        attempted.set(key, client)
        const answer = await program.rest('POST', '/rest_api/v2/FinanceOperations/', body).catch(() => null)
        if (!answer) return
        if (answer.status === 201) acknowledged.set(key, answer.body.op_id)
        if (acknowledged.size >= acknowledgedEnough) enough()
      }
    }
    /** New subscribers meanwhile, one after another; those that were acknowledged, by their contract. */
    const enrolled = new Map<string, number>()
    const enrol = async () => {
      for (let n = 0; isRunning; n++) {
        const body = { name: 'Newcomer', contract_number: `new-${n}`, login: {}, payment: { amount: 5 } }
        const answer = await program.rest('POST', '/admin/Abonents/create/', body).catch(() => null)
        if (!answer) return
        if (answer.status === 200) enrolled.set(body.contract_number, answer.body.abonent.id)
      }
    }
    const storm = [...clients.map(pay), enrol()]
    await stormy
    await program.kill()
    isRunning = false
    await Promise.all(storm)

    await program.start()
    const operations = new Map<string, number[]>()
    for (const { account } of clients) {
      const list = await program.rest('GET', `/rest_api/v2/FinanceOperations/?account=${account}&limit=1000`)
      let sum = 0
      for (const operation of list.body.results) {
        operations.set(operation.descr, [...(operations.get(operation.descr) ?? []), operation.op_id])
        sum += operation.op_summa
      }
      const { ostatok, debit, credit } = (await program.rest('GET', `/rest_api/v2/AdminAccounts/${account}/`)).body
      t.equal(ostatok, sum, `the balance of account ${account} is the sum of its operations`)
      t.equal(ostatok, debit - credit)
    }
    const lost = [...acknowledged].filter(([key, id]) => !operations.get(key)?.includes(id))
    t.strictSame(lost, [], `all ${acknowledged.size} acknowledged payments are there`)
    const doubled = [...operations].filter(([, ids]) => ids.length > 1)
    t.strictSame(doubled, [], 'none is there twice')

    const [key, id] = [...acknowledged][0]!
    const repeat = { account: attempted.get(key)!.account, op_type: 9, op_summa: ruble, txn: key, descr: key }
    t.equal(
      (await program.rest('POST', '/rest_api/v2/FinanceOperations/', repeat)).body.op_id,
      id,
      'a repeat gets the first one',
    )

    const wasBlocked = clients.filter(({ account }) => operations.has(`storm-${account}-0`)).map(({ login }) => login)
    t.ok(wasBlocked.length > 0)
    while (!wasBlocked.every((login) => cut.has(login))) {
      await new Promise<void>((resolve) => {
        told = resolve
      })
    }
    t.pass('every line that was ever blocked got its Disconnect')

    // The name tells nothing of a block that came when the line was cut already, and of the one the kill fell upon:
    // each has its own row.
    const database = new pg.Client({ connectionString: embeddedUrl(program.dataDir) })
    await database.connect()
    t.teardown(() => database.end())
    const { rows: newcomers } = await database.query(wholeOrNot)
    t.strictSame(
      [...new Set(newcomers.map(({ parts }) => parts))],
      ['1 1 1 5.00'],
      'a new subscriber is there as a whole',
    )
    const there = new Set(newcomers.map(({ contract }) => contract))
    t.ok(enrolled.size > 0 && [...enrolled.keys()].every((contract) => there.has(contract)), 'and none is lost')
    const unanswered = async () => (await database.query(notAnswered)).rows
    await until(async () => (await unanswered()).length === 0)
    const { rows } = await database.query(blocksWithoutDisconnect)
    t.strictSame(rows, [], 'and every single block has a Disconnect that the NAS has answered')
  },
)

/** Disconnects that were committed and of which the NAS has said nothing yet. */
const notAnswered = `SELECT id FROM outbox WHERE kind = 'disconnect' AND (done_at IS NULL OR NOT EXISTS (
  SELECT FROM coa_requests WHERE outbox_id = outbox.id AND result IN ('ack', 'nak')))`

const blocksWithoutDisconnect = `SELECT block.id FROM audit_operations AS block
  WHERE block.table_name = 'ABONENTS_BLOCK' AND block.action = 'block' AND NOT EXISTS (
    SELECT FROM outbox WHERE kind = 'disconnect' AND outbox.subscriber_id = block.object_id::int8 AND outbox.created_at = block.at)`

/** Of each new subscriber the number of logins, of operations and of audits of its account, and the balance. */
const wholeOrNot = `SELECT contract_number AS contract, concat_ws(' ',
    (SELECT count(*) FROM users WHERE abonent_id = abonents.id),
    (SELECT count(*) FROM finance_operations AS operation WHERE operation.account_id = abonents.account_id),
    (SELECT count(*) FROM audit_operations WHERE table_name = 'ADMIN_ACCOUNTS' AND object_id = account_id::text AND action = 'create'),
    (SELECT (ostatok / 10000000000.0)::numeric(10, 2) FROM admin_accounts WHERE admin_accounts.id = account_id)) AS parts
  FROM abonents WHERE name = 'Newcomer'`

function embeddedUrl(dataDir: string): string {
  const { user, password, port, database } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'))
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}
