import t from 'tap'
import type { LoginId } from '../../src/domain/ids.ts'
import { blocked } from '../support/blocked.ts'
import { plantClient } from '../support/clients.ts'
import { fetch } from '../support/published.ts'
import { Browser, openPortal } from './portal/fixture.ts'

/**
 * A new password of a client ends the sessions that were begun with the old one, also those that are being begun at
 * that moment, and whoever knows only the old one sets none after it.
 */
const fixture = await openPortal(t)
const { base, database, secrets, portal, phones } = fixture
const { pool } = database
const old = 'the-old-one'
const newest = secrets.seal('the-newest-one')
let contracts = 800

/** A client with one login. */
async function plant(stored = old): Promise<{ contract: string; login: LoginId; subscriber: number }> {
  const contract = String(contracts++)
  const { subscriber, logins } = await plantClient(database, contract, [[`login${contract}`, stored]], secrets)
  return { contract, login: logins[0] as LoginId, subscriber }
}

type Planted = Awaited<ReturnType<typeof plant>>

/** What `request` is answered when `change` of the login comes between its check and its effect. */
async function whileChanged<A>(
  { login }: Planted,
  request: () => Promise<A>,
  change: { column: 'password' | 'abonent_id'; value: unknown } = { column: 'password', value: newest },
): Promise<A> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`UPDATE users SET ${change.column} = $2 WHERE id = $1`, [login, change.value])
    const answer = request()
    await Promise.race([answer, blocked(pool)])
    await client.query('COMMIT')
    await Promise.all([portal.endOthers(login, null), phones.endOthers(login, null)])
    return await answer
  } finally {
    client.release()
  }
}

const left = async ({ login }: Planted) => {
  const text = `SELECT (SELECT count(*) FROM client_sessions WHERE login_id = users.id) AS browsers,
      (SELECT count(*) FROM phone_sessions WHERE login_id = users.id AND ended_at IS NULL) AS phones,
      password = $2 AS has_new
    FROM users WHERE id = $1`
  return (await pool.query(text, [login, newest])).rows[0]
}
const nothing = { browsers: '0', phones: '0', has_new: true }

async function atPortal({ contract }: Planted) {
  const browser = new Browser(base)
  await browser.get('/lk/login/')
  return { browser, answer: await browser.post('/lk/login/', { contract, password: old }) }
}

async function toPhone(path: string, body: object, access = '') {
  const response = await fetch(`${base}/mobile-api/v1/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(access && { Authorization: `Bearer ${access}` }) },
    body: JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: looked into field by field
  return { status: response.status, body: (await response.json()) as any }
}

const byPhone = ({ contract }: Planted) => toPhone('auth/login', { contract, password: old })

t.test('a sign-in at the portal', async (t) => {
  for (const stored of [old, '{SHA}i3c5+G0QM/CcCtM/AjvSkumHgU=']) {
    const client = await plant(stored)
    if (stored === old) t.equal((await atPortal(client)).answer.status, 302)
    const { answer } = await whileChanged(client, () => atPortal(client))
    t.equal(answer.status, 401)
    t.match(answer.text, 'Неверный')
    t.same(await left(client), nothing)
  }
})

t.test('a sign-in of a phone', async (t) => {
  const client = await plant()
  t.equal((await byPhone(client)).status, 200)
  t.match(await whileChanged(client, () => byPhone(client)), { status: 401, body: { error: 'wrong_credentials' } })
  t.same(await left(client), nothing)
})

t.test('a sign-in by a login that is given to another client', async (t) => {
  const change = { column: 'abonent_id', value: (await plant()).subscriber } as const
  const [first, second] = [await plant(), await plant()]
  t.equal((await whileChanged(first, () => byPhone(first), change)).status, 401)
  t.match(await left(first), { phones: '0' })
  t.equal((await whileChanged(second, () => atPortal(second), change)).answer.status, 401)
  t.match(await left(second), { browsers: '0' })
})

t.test('another new password at the portal, by who knows the old one only', async (t) => {
  const client = await plant()
  const { browser } = await atPortal(client)
  const wanted = 'of-the-thief'
  const sent = { current_password: old, new_password: wanted, confirm_password: wanted }
  const answer = await whileChanged(client, () => browser.post('/lk/password/', sent))
  t.equal(answer.status, 400)
  t.match(answer.text, 'Текущий пароль неверен')
  t.same(await left(client), nothing)
  const rows = await pool.query(`SELECT FROM audit_operations WHERE table_name = 'USERS' AND object_id = $1`, [
    String(client.login),
  ])
  t.equal(rows.rowCount, 0)
})

t.test('another new password by a phone', async (t) => {
  const client = await plant()
  const { access } = (await byPhone(client)).body
  const wanted = 'of-the-thief'
  const sent = { current_password: old, new_password: wanted, confirm_password: wanted }
  const answer = await whileChanged(client, () => toPhone('account/change_password', sent, access))
  t.match(answer, { status: 400, body: { error: 'wrong_password' } })
  t.same(await left(client), nothing)
})
