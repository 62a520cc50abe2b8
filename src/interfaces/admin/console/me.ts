import Type from 'typebox'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { staffOf } from '../../../platform/staff/author.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { answers, get } from '../doors.ts'

export type MeParts = TransactionScope & {
  readonly settings: Pick<Settings, 'get'>
  readonly signIn: Pick<SignIn, 'authenticate' | 'mustEnrol'>
  readonly version: string
}

/** What the console knows before it shows its first screen. */
export const meRoutes = (parts: MeParts): Route[] => [
  { ...get('/admin/me', doc, (call) => showMe(parts, call)), beforeSecondFactor: true },
]

async function showMe(parts: MeParts, call: Call): Promise<Reply> {
  const { username, isSuperuser, rights, organizations } = call.staff!
  const signedIn = await parts.signIn.authenticate(call)
  const mustEnrol = signedIn !== null && parts.signIn.mustEnrol(signedIn.session)
  const known = await reading(parts, async (client) => {
    const organizations = await client.query<{ id: string; name: string }>(
      `SELECT id, name FROM organizations WHERE ${visibleSql('id', '$1')} ORDER BY name, id LIMIT ${organizationsMax}`,
      [visibleTo(call)],
    )
    const currency = await client.query<{ code: string }>('SELECT code FROM currencies WHERE is_default LIMIT 1')
    return {
      // Nothing of the provider is shown to who has not set up what their role requires.
      organizations: mustEnrol ? [] : organizations.rows.map(({ id, name }) => ({ id: Number(id), name })),
      currency: currency.rows[0]?.code ?? 'RUB',
    }
  })
  return json({
    ok: true,
    user: { id: staffOf(call), username, is_superuser: isSuperuser, all_organizations: organizations === null, rights },
    must_enrol: mustEnrol,
    ...known,
    time_zone: parts.settings.get('TIME_ZONE'),
    read_only: parts.settings.get('READ_ONLY_MODE'),
    version: parts.version,
  })
}

/** More are found by searching. */
const organizationsMax = 200

const { integer, text, boolean } = schemas

const doc: RouteDoc = {
  tag: 'Console',
  summary: 'Who is signed in, what they may do, and the settings that every screen shows by',
  answers: answers('The caller', {
    user: Type.Object({
      id: integer,
      username: text,
      is_superuser: boolean,
      all_organizations: Type.With(boolean, { description: 'Sees all of them, and may change what they share' }),
      rights: Type.With(Type.Array(text), {
        description: 'view, change, money, money_dates, settings, system, rest, personal_data',
      }),
    }),
    must_enrol: Type.With(boolean, { description: 'A second factor is to be set up before anything else is done' }),
    organizations: Type.With(Type.Array(Type.Object({ id: integer, name: text })), {
      description: `Those the caller may see, at most ${organizationsMax} by name`,
    }),
    currency: Type.With(text, { description: 'ISO 4217 code of the currency of new accounts' }),
    time_zone: Type.With(text, { description: 'The setting TIME_ZONE, in which all dates are shown' }),
    read_only: boolean,
    version: text,
  }),
}
