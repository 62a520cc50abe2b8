import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/**
 * The peer of payments.ts, a program of its own: what one writes in an afternoon with node:http, the npm package
 * `radius` and eight connections. A notice of gateway B is checked and its order credited in one transaction that
 * writes what Tollgate writes, one statement after another; an Access-Request is answered from the same tables, as
 * FreeRADIUS does with SQL.
 *
 * DATABASE_URL, SHOP_KEY and SHARED_SECRET in the environment; its address goes to standard output as JSON.
 */
const { DATABASE_URL = '', SHOP_KEY = '', SHARED_SECRET = '' } = process.env
const connections = 8

type Packet = { code: string; attributes: Record<string, unknown> }
type Radius = { decode(packet: object): Packet; encode_response(answer: object): Buffer }
const radius: Radius = createRequire(import.meta.url)('radius')

const target = new URL(DATABASE_URL)
target.searchParams.set('options', '-c tollgate.writer=on')
const pool = new pg.Pool({ connectionString: target.href, min: connections, max: connections })

const statements = {
  order: 'SELECT subscriber_id, amount, payable, state FROM payment_orders WHERE id = $1 FOR UPDATE',
  subscriber: 'SELECT account_id, organization_id, deleted FROM abonents WHERE id = $1',
  lock: 'SELECT ostatok, debit, credit, "limit", chain_length, chain_head FROM admin_accounts WHERE id = $1 FOR UPDATE',
  operation: `INSERT INTO finance_operations (op_date, system_date, op_summa, op_type_id, abonent_id, account_id, descr, organization_id,
      aa_ostatok, aa_debit, aa_credit, aa_limit, balance_buh, operator_name, operator_pay_id_str, operator_result, txn, chain_seq, chain_hash)
    VALUES (now(), now(), $2, 24, $1, $3, $4, 1, $5, $6, $7, $8, $5, 'gwb', $9, 'Accepted', $10, $11, $12) RETURNING op_id`,
  key: 'INSERT INTO money_keys (key, account_id, op_id, amount) VALUES ($1, $2, $3, $4)',
  account: `UPDATE admin_accounts SET ostatok = ostatok + $2, debit = debit + $2, version = version + 1, last_operation_id = $3,
      chain_length = $4, chain_head = $5 WHERE id = $1`,
  unblock: 'UPDATE abonents_block SET b_negbal = false, change_date = now() WHERE abonent_id = $1',
  subscribe: 'UPDATE abonents SET enabled = true WHERE id = $1',
  login: 'UPDATE users SET enabled = true WHERE abonent_id = $1 AND NOT disabled_by_hand',
  audit: `INSERT INTO audit_operations (at, user_name, table_name, object_id, action, diff, organization_id)
    VALUES (now(), 'gwb', $2, $1, $3, $4, 1)`,
  outbox: `INSERT INTO outbox (kind, payload, subscriber_id, created_at, due_at) VALUES ('notify', $2, $1, now(), now())`,
  paid: `UPDATE payment_orders SET state = 'paid', gateway_id = $2, operation_id = $3, paid_at = now() WHERE id = $1`,
  access: `SELECT users.password FROM users JOIN abonents ON abonents.id = users.abonent_id
      LEFT JOIN abonents_block AS block ON block.abonent_id = abonents.id
    WHERE users.login = $1 AND users.enabled AND abonents.enabled AND NOT abonents.deleted
      AND NOT coalesce(block.b_negbal OR block.b_admin OR block.b_own OR block.b_sys, false)`,
} as const

async function credit(form: URLSearchParams): Promise<string> {
  const names = [...form.keys()].filter((name) => name !== 'WMI_SIGNATURE').sort()
  const values = names.map((name) => form.get(name)).join('')
  const signature = createHash('md5')
    .update(values + SHOP_KEY)
    .digest('base64')
  if (signature !== form.get('WMI_SIGNATURE')) return 'WMI_RESULT=RETRY'
  const [subscriber = '', orderId = ''] = (form.get('WMI_PAYMENT_NO') ?? '').split('-')
  const payment = form.get('WMI_ORDER_ID') ?? ''
  const client = await pool.connect()
  const run = async (name: keyof typeof statements, values: unknown[]) =>
    (await client.query({ name, text: statements[name], values })).rows[0]
  try {
    await client.query('BEGIN')
    const order = await run('order', [orderId])
    const { account_id: account } = await run('subscriber', [subscriber])
    const was = await run('lock', [account])
    const seq = was.chain_length + 1
    const hash = createHash('sha256').update(was.chain_head).update(`${seq};${orderId};${order.amount}`).digest()
    const descr = `payment [txn:${orderId}]`
    const snapshot = [was.ostatok, was.debit, was.credit, was.limit]
    const values = [subscriber, order.amount, account, descr, ...snapshot, payment, orderId, seq, hash]
    const { op_id: operation } = await run('operation', values)
    for (const key of [`txn:${orderId}`, `pay:gwb:${payment}`])
      await run('key', [key, account, operation, order.amount])
    await run('account', [account, order.amount, operation, seq, hash])
    await run('unblock', [subscriber])
    await run('subscribe', [subscriber])
    await run('login', [subscriber])
    await run('audit', [operation, 'FINANCE_OPERATIONS', 'create', { amount: order.amount }])
    await run('audit', [account, 'ADMIN_ACCOUNTS', 'operation', { amount: order.amount }])
    await run('audit', [subscriber, 'ABONENTS_BLOCK', 'unblock', { b_negbal: [true, false] }])
    await run('outbox', [subscriber, { kind: 'notify', template: 'payment_credited', amount: order.amount }])
    await run('paid', [orderId, payment, operation])
    await client.query('COMMIT')
    return 'WMI_RESULT=OK'
  } finally {
    client.release()
  }
}

const web = createServer(async (request, response) => {
  const body = (await request.toArray()).join('')
  response.end(await credit(new URLSearchParams(body)))
}).listen(0, '127.0.0.1')

const auth = createSocket('udp4')
auth.on('message', async (datagram, from) => {
  const packet = radius.decode({ packet: datagram, secret: SHARED_SECRET })
  const { 'User-Name': name, 'User-Password': password } = packet.attributes
  const { rows } = await pool.query({ name: 'access', text: statements.access, values: [name] })
  const code = rows[0]?.password === password ? 'Access-Accept' : 'Access-Reject'
  const answer = radius.encode_response({ packet, code, secret: SHARED_SECRET, add_message_authenticator: true })
  auth.send(answer, from.port, from.address)
})
auth.bind(0, '127.0.0.1')

await Promise.all([once(web, 'listening'), once(auth, 'listening')])
const { port } = web.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ http: `http://127.0.0.1:${port}/`, authPort: auth.address().port })}\n`)
