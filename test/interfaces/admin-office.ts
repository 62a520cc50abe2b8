import type { Parts } from '../../src/app/program.ts'
import { organizationId } from '../../src/domain/ids.ts'
import { createStaff } from '../../src/platform/staff/staff-table.ts'
import { type FixtureOptions, openFixture } from '../support/fixture.ts'
import { fetch } from '../support/published.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field
export type Json = any
export type Answer = { status: number; body: Json }

/** One who calls the doors, by session key or token. */
export class Caller {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>

  constructor(base: string, headers: Readonly<Record<string, string>>) {
    this.base = base
    this.headers = headers
  }

  /** The session key. */
  get key(): string {
    return this.headers['X-Session-Hash']!
  }

  get = (path: string) => this.call('GET', path)
  post = (path: string, body: unknown = {}) => this.call('POST', path, body)
  put = (path: string, body: unknown = {}) => this.call('PUT', path, body)
  delete = (path: string) => this.call('DELETE', path)

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: { ...this.headers, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  }
}

export type Office = Parts & {
  readonly base: string
  rows(text: string, values?: unknown[]): Promise<Json[]>
  /** Makes a staff user and signs it in; no organizations: a superuser. */
  staff(username: string, role?: string, organizations?: readonly number[]): Promise<Caller>
  signedIn(username: string, password: string): Promise<Caller>
}

/** The program with its HTTP doors open, and the staff who call at them. */
export async function openOffice(
  t: { teardown(close: () => unknown): unknown },
  options: FixtureOptions = {},
): Promise<Office> {
  const parts = await openFixture(t, { env: { TOLLGATE_PUBLIC_URL: 'http://billing.example' }, ...options })
  const base = await parts.listen()
  const { pool } = parts.database
  return {
    ...parts,
    base,
    rows: async (text, values = []) => (await pool.query(text, values)).rows,
    ...staffAt(parts, base),
  }
}

/** The staff who call at the doors of an open program. */
export function staffAt(
  { database: { pool } }: Pick<Parts, 'database'>,
  base: string,
): Pick<Office, 'signedIn' | 'staff'> {
  const signedIn = async (username: string, password: string) => {
    const query = new URLSearchParams({ api: '1', username, password, format: 'json' })
    const { hash } = (await (await fetch(`${base}/admin/?${query}`)).json()) as { hash: string }
    return new Caller(base, { 'X-Session-Hash': hash })
  }
  return {
    signedIn,
    staff: async (username, role, organizations) => {
      const made = await createStaff(pool, {
        username,
        password: `${username}-password`,
        isSuperuser: organizations === undefined,
        ...(role !== undefined && { role }),
        ...(organizations && { organizations: organizations.map(organizationId) }),
      })
      if (made.kind === 'refused') throw new Error(made.reason)
      return signedIn(username, `${username}-password`)
    },
  }
}
