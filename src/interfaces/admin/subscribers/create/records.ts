import { openAccount } from '../../../../billing/accounts/account-writes.ts'
import { postingKeys } from '../../../../billing/accounts/operation-details.ts'
import type { Beginning, OpeningStep } from '../../../../billing/accounts/opening.ts'
import type { IdempotencyKeys } from '../../../../billing/accounts/operation-keys.ts'
import { addressSql } from '../../../../platform/storage/addresses.ts'
import { organizationOfFolder } from '../../../../billing/clients/organizations.ts'
import { proposeContractNumber, proposeLogin, proposePassword } from '../../../../billing/clients/proposals.ts'
import type { Author } from '../../../../domain/author.ts'
import { dayOf } from '../../../../domain/calendar.ts'
import { type AccountId, subscriberId } from '../../../../domain/ids.ts'
import { storedClearPassword } from '../../../../domain/login-password.ts'
import type { Model } from '../../../../platform/records/model.ts'
import { diffOf } from '../../../../platform/records/diff.ts'
import { findRecord } from '../../../../platform/records/reads.ts'
import type { Refusal } from '../../../../platform/records/refusals.ts'
import { type Column, columnsOf, insertRow } from '../../../../platform/records/rows.ts'
import { type Entry, plainValues, type Values } from '../../../../platform/records/values.ts'
import type { Sealing } from '../../../../platform/secrets/secrets.ts'
import type { VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import { defaultOrganizationAmong } from '../../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../../platform/storage/audit.ts'
import { momentOf } from '../../../../platform/storage/moment-of.ts'
import { subscriberService } from '../services/model.ts'
import { type CheckParts, checkOrder, proposalsLock } from './checks.ts'
import { fault, refusalOf } from './faults.ts'
import { login as loginModel, person as personModel } from './models.ts'
import type { FirstPayment, Order } from './order.ts'

export type InsertParts = CheckParts & {
  readonly secrets: Sealing
  /** The setting CONTRACT_NUMBER_PATTERN. */
  readonly contractNumbers: () => string
}

/** Who orders a new subscriber, and with what. */
export type Ordered = {
  readonly order: Order
  readonly author: Author
  readonly visible: VisibleOrganizations
  readonly keys: IdempotencyKeys | null
  /** Of which a password is made where none is named. */
  readonly seed: Buffer
}

/** What the new subscriber is, in the tables. */
export type Made = {
  readonly abonent: number
  readonly account: AccountId
  readonly login: number | null
}

/**
 * Inserts the account, the subscriber, the login and the services, each with its audit, in the transaction in which the
 * account is opened. A refusal ends that transaction.
 */
export async function insertSubscriber(
  parts: InsertParts,
  step: OpeningStep,
  ordered: Ordered,
): Promise<Beginning<Made> | Refusal> {
  const { client, now } = step
  const { order, visible } = ordered
  await client.query(proposalsLock)
  const faults = await checkOrder(parts, client, order, visible, now)
  const number =
    order.person.get('contract_number')?.value ??
    (await proposeContractNumber(client, parts.contractNumbers(), dayOf(now, parts.timeZone()).slice(0, 4)))
  const refused = refusalOf(number === null ? { ...faults, contract_number: fault('exhausted') } : faults)
  if (refused) return refused
  try {
    return await insertOrdered(parts, step, ordered, String(number))
  } catch (error) {
    const taken = takenMeanwhile(error)
    if (taken) return taken
    throw error
  }
}

/** By the index that has refused it. REST waits for nobody, and may have been faster. */
const fieldsOfIndexes: Readonly<Record<string, string>> = {
  abonents_contract_number: 'contract_number',
  users_login: 'login.login',
}

function takenMeanwhile(error: unknown): Refusal | null {
  const { code, constraint = '' } = (error ?? {}) as { readonly code?: string; readonly constraint?: string }
  const name = code === '23505' ? fieldsOfIndexes[constraint] : undefined
  return name === undefined ? null : refusalOf({ [name]: fault('taken') })
}

async function insertOrdered(
  parts: InsertParts,
  step: OpeningStep,
  ordered: Ordered,
  number: string,
): Promise<Beginning<Made>> {
  const { order, keys } = ordered
  const { abonent, organization } = await insertPerson(parts, step, ordered, number)
  const insert = inserter(parts, step, ordered.author, organization)
  const login = order.login && (await insertLogin(step, insert, order.login, { abonent, number }, ordered.seed))
  await insertServices(step, insert, order.services, abonent)
  return {
    made: { abonent, account: step.account, login },
    payment: order.payment && postOf(order.payment, abonent, step.account, keys),
    keys: order.payment || !keys ? [] : [keys.own, keys.withBody],
  }
}

type Insert = (model: Model, values: Values, columns: readonly Column[]) => Promise<number>

/** Inserts rows of models with the audit of their creation, in the organization of the subscriber. */
const inserter =
  ({ secrets }: InsertParts, { client, manager, now }: OpeningStep, author: Author, organizationId: number): Insert =>
  async (model, values, columns) => {
    // Of a column named twice the last value counts.
    const id = await insertRow(manager, model, [...columnsOf(values, secrets), ...columns])
    const diff = diffOf(model, null, await findRecord(client, model, id, null), values)
    // At the time of the turn, so that the log has the parts in their order.
    const audit = { author, table: model.audit, id, action: 'create', diff, organizationId, at: now } as const
    await writeAudit(client, audit)
    return Number(id)
  }

async function insertPerson(
  parts: InsertParts,
  step: OpeningStep,
  { order: { person }, author, visible }: Ordered,
  number: string,
): Promise<{ abonent: number; organization: number }> {
  const { client, account, now } = step
  const { parent = null, home = null, flat = null } = plainValues(person)
  const organization = await organizationOfFolder(client, parent as number | null, defaultOrganizationAmong(visible))
  await openAccount(client, author, { id: account, organizationId: organization, at: now })
  const { rows } = await client.query<{ address: string | null }>(
    `SELECT ${addressSql('$1::int8', '$2::text')} AS address`,
    [home, flat],
  )
  const abonent = await inserter(
    parts,
    step,
    author,
    organization,
  )(personModel, person, [
    { column: 'contract_number', value: number },
    { column: 'account_id', value: account },
    { column: 'organization_id', value: organization },
    { column: 'address', value: rows[0]!.address },
    ...(await tariffColumns(parts, step, person)),
  ])
  return { abonent, organization }
}

/** A tariff that begins on a later day is planned, as a change of the tariff is; the billing worker lets it begin. */
async function tariffColumns(
  { timeZone }: InsertParts,
  { client, now }: OpeningStep,
  person: Values,
): Promise<Column[]> {
  const { tarif = null, from = null } = plainValues(person)
  const zone = timeZone()
  const begins = from === null ? now : await momentOf(client, String(from))
  if (dayOf(begins, zone) <= dayOf(now, zone)) return [{ column: 'tarif_id', value: tarif }]
  return [
    { column: 'next_tarif_id', value: tarif },
    { column: 'next_tarif_date', value: begins },
  ]
}

async function insertLogin(
  { client }: OpeningStep,
  insert: Insert,
  login: Values,
  { abonent, number }: { readonly abonent: number; readonly number: string },
  seed: Buffer,
): Promise<number> {
  const password = login.get('password')?.value ?? null
  const field = loginModel.fields.find(({ name }) => name === 'password')!
  const proposed: Entry = { field, value: storedClearPassword(proposePassword(seed)), sentAs: 'password' }
  const values = password === null ? new Map([...login, ['password', proposed]]) : login
  const name = login.get('login')?.value ?? (await proposeLogin(client, number))
  return insert(loginModel, values, [
    { column: 'abonent_id', value: abonent },
    { column: 'login', value: name },
  ])
}

async function insertServices(
  { client }: OpeningStep,
  insert: Insert,
  services: readonly number[],
  abonent: number,
): Promise<void> {
  for (const service of services) {
    const { rows } = await client.query<{ system_type: number | null }>(
      'SELECT system_type FROM uslugas WHERE id = $1::int8',
      [service],
    )
    await insert(subscriberService, new Map(), [
      { column: 'abonent_id', value: abonent },
      { column: 'usluga_id', value: service },
      { column: 'system_type', value: rows[0]!.system_type },
    ])
  }
}

const postOf = (
  { amount, typeId, description, isCash }: FirstPayment,
  abonent: number,
  account: AccountId,
  idempotency: IdempotencyKeys | null,
) => {
  const details = isCash ? { isCash } : {}
  return {
    kind: 'post',
    typeId,
    sign: 1,
    amount,
    subscriberId: subscriberId(abonent),
    movedAt: null,
    description,
    details,
    keys: postingKeys(idempotency, { account, sign: 1, amount, details }),
  } as const
}
