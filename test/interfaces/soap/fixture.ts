import type { Parts } from '../../../src/app/program.ts'
import { organizationId } from '../../../src/domain/ids.ts'
import { createStaff } from '../../../src/platform/staff/staff-table.ts'
import { capturedLog, type LogLine } from '../../platform/http/parts.ts'
import { openFixture } from '../../support/fixture.ts'
import { fetch } from '../../support/published.ts'
import type { Clock } from '../../../src/platform/actors/clock.ts'
import { SteadyClock } from '../../support/steady-clock.ts'
import { type Answer, answerOf, envelope, fiscalNamespace, hashOf, salt, userNamespace } from '../../support/soap.ts'

export * from '../../support/soap.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows are looked into field by field
type Json = any

export type SoapFixture = Parts & {
  readonly base: string
  readonly port: number
  readonly lines: readonly LogLine[]
  /** Of the clock of the doors; real until it is set. */
  now: Date | null
  rows(text: string, values?: unknown[]): Promise<Json[]>
  /** Makes a staff user and signs it in by get_user_hash. */
  staff(username: string, role?: string, organizations?: readonly number[]): Promise<string>
  subscriber(contract: string, name: string, organization?: number): Promise<{ id: number; account: number }>
  post(path: string, body: string | Buffer, headers?: Record<string, string>): Promise<Answer>
  userHash(username: string, password: string, path?: string): Promise<Answer>
  act(parameters: Readonly<Record<string, string>>): Promise<Answer>
  import(parameters: Readonly<Record<string, string>>): Promise<Answer>
  balance(account: number): Promise<string>
}

/** The program with its HTTP doors open, and a cash desk that calls its SOAP ones. */
export async function openSoapFixture(t: { teardown(close: () => unknown): unknown }): Promise<SoapFixture> {
  const { log, lines } = capturedLog()
  const steady = new SteadyClock()
  const aheadMs = () => (fixture?.now ? fixture.now.getTime() - Date.now() : 0)
  const clock: Clock = {
    now: () => fixture?.now ?? new Date(),
    elapsedMs: () => steady.elapsedMs() + aheadMs(),
    after: steady.after,
  }
  let fixture: SoapFixture | null = null
  const parts = await openFixture(t, { env: { TOLLGATE_PUBLIC_URL: 'https://billing.example' }, clock, log })
  const { settings, secrets } = parts
  const { pool } = parts.database
  await settings.set({ SOAP_HASH_SALT: salt })
  const base = await parts.listen()
  const rows: SoapFixture['rows'] = async (text, values = []) => (await pool.query(text, values)).rows
  const post: SoapFixture['post'] = async (path, body, headers = {}) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml; charset=utf-8', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
    return answerOf(response.status, await response.text())
  }
  const opened: SoapFixture = {
    ...parts,
    base,
    port: Number(new URL(base).port),
    lines,
    now: null,
    rows,
    post,
    async staff(username, role, organizations) {
      const password = `${username}-password`
      const made = await createStaff(pool, {
        username,
        password,
        isSuperuser: role === undefined && organizations === undefined,
        ...(role !== undefined && { role }),
        ...(organizations && { organizations: organizations.map(organizationId) }),
        soap: true,
        seal: (plain) => secrets.seal(plain),
      })
      if (made.kind === 'refused') throw new Error(made.reason)
      const { result, text } = await opened.userHash(username, password)
      if (result === null) throw new Error(text)
      return result
    },
    async subscriber(contract, name, organization = 1) {
      const [{ id: account }] = await rows('INSERT INTO admin_accounts DEFAULT VALUES RETURNING id')
      const [{ id }] = await rows(
        `INSERT INTO abonents (name, contract_number, account_id, organization_id) VALUES ($1, $2, $3, $4) RETURNING id`,
        [name, contract, account, organization],
      )
      await rows('INSERT INTO abonents_block (abonent_id) VALUES ($1)', [id])
      return { id: Number(id), account: Number(account) }
    },
    userHash: (username, password, path = '/api/') =>
      post(path, envelope('get_user_hash', userNamespace, { username, hash: hashOf(password) })),
    act: (parameters) => post('/api/fiscal/', envelope('pay_usr_act2', fiscalNamespace, parameters)),
    import: (parameters) => post('/api/fiscal/', envelope('pay_usr_act_import', fiscalNamespace, parameters)),
    balance: async (account) => (await rows('SELECT ostatok FROM admin_accounts WHERE id = $1', [account]))[0].ostatok,
  }
  fixture = opened
  return opened
}
