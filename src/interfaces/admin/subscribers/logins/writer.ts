import type { AccountParts } from '../../../../billing/accounts/account-writes.ts'
import { loginSteps } from '../../../../billing/accounts/login-writes.ts'
import { proposeLogin } from '../../../../billing/clients/proposals.ts'
import { RecordWriter, type Step } from '../../../../platform/records/record-writer.ts'
import type { Refusal } from '../../../../platform/records/refusals.ts'
import type { Column } from '../../../../platform/records/rows.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { type CheckParts, loginFaults, named, proposalsLock } from '../create/checks.ts'
import { fault, refusalOf } from '../create/faults.ts'
import { subscriberLogin } from './model.ts'

export type LoginParts = AccountParts & CheckParts

/** Writes logins as REST does, and refuses what another login has. */
export function loginWriter(parts: LoginParts): RecordWriter {
  const steps = loginSteps(parts)
  return new RecordWriter(parts, subscriberLogin, {
    ...steps,
    lock: async (client, id, values) => {
      // What is free stays so until the commit.
      await client.query(proposalsLock)
      await steps.lock(client, id, values)
    },
    derive: async (step) =>
      (await refusedBefore(parts, step)) ?? [...(await steps.derive(step)), ...(await nameOf(step))],
  })
}

async function refusedBefore(parts: LoginParts, step: Step): Promise<Refusal | null> {
  const { client, before } = step
  const sent = plainValues(step.values)
  // A form sends everything again; what stays as it is was right before.
  const changed = Object.entries(sent).filter(([name, value]) => !before || before[name] !== value)
  const values = Object.fromEntries(changed)
  const hasPlace = 'switch' in values || 'switch_port' in values
  const place = { switch: null, switch_port: null, ...before, ...sent }
  const asked = { ...values, ...(hasPlace && { switch: place.switch, switch_port: place.switch_port }) }
  const faults = await loginFaults(parts, client, asked, before && Number(before.id))
  const needed = before ? ['login', 'password'].filter((name) => values[name] === null) : []
  return refusalOf({
    ...named('', faults),
    ...Object.fromEntries(needed.map((name) => [name, fault('required')])),
  })
}

/** The name of a new login that was given none. */
async function nameOf({ client, before, values }: Step): Promise<Column[]> {
  if (before || values.get('login')?.value) return []
  const contract = await contractOf(client, values.get('abonent')!.value)
  return [{ column: 'login', value: await proposeLogin(client, contract) }]
}

async function contractOf(client: Client, subscriber: unknown): Promise<string> {
  const text = 'SELECT contract_number FROM abonents WHERE id = $1::int8'
  return (await client.query<{ contract_number: string }>(text, [subscriber])).rows[0]?.contract_number ?? ''
}
