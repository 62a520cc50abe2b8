import type { Present } from '../moments.ts'
import { zero } from '../../../domain/money.ts'
import type { NasType } from '../../../domain/nas.ts'
import { type MovedNas, type MovedRecord, type MovedTariff, type ReplyLine, remark } from '../records.ts'
import { grouped, type Row, type Tables, textOf, type Wanted } from '../tables/tables.ts'
import { Daloradius, daloradiusTables } from './daloradius.ts'
import { type Group, Groups } from './groups.ts'
import { type Item, readChecks, readReplies } from './items.ts'
import { splitSpeed, typeOf, usualType } from './nas-types.ts'
import { unifySpelling } from './spelling.ts'
import { type RadiusUser, remarksOf, type UserTariff, userRecords } from './user.ts'

const items = ['id', 'attribute', 'op', 'value']

/** The tables of FreeRADIUS's own schema (mods-config/sql/main), and those of daloRADIUS. */
export const freeradiusTables: Wanted = {
  radcheck: ['username', ...items],
  radreply: ['username', ...items],
  radgroupcheck: ['groupname', ...items],
  radgroupreply: ['groupname', ...items],
  radusergroup: ['id', 'username', 'groupname', 'priority'],
  nas: ['id', 'nasname', 'shortname', 'type', 'secret', 'description'],
  ...daloradiusTables,
}

/** What the tables of FreeRADIUS and daloRADIUS say. A user is a subscriber with one login. */
export function* readFreeradiusTables(tables: Tables, present: Present): Generator<MovedRecord> {
  tables.require(['radcheck'], 'database of FreeRADIUS')
  const doubtful = unifySpelling(tables)
  const dalo = new Daloradius(tables)
  const groups = new Groups(
    itemsBy(tables, 'radgroupcheck', 'groupname'),
    itemsBy(tables, 'radgroupreply', 'groupname'),
    present,
  )
  const users = usersOf(tables, dalo, groups, present)
  const usual = usualType(allLines(tables, groups))
  const nas = tables.rows('nas').map((row) => nasOf(row, usual))
  const types = new Set(nas.map(({ type }) => type))
  for (const one of nas) yield one
  yield* tariffsOf(groups, dalo, new Set(users.map((user) => tariffOf(user, dalo))), types)
  yield* doubtful
  for (const user of users) {
    if (user.username === 'DEFAULT')
      yield remark(user.place, 'is for users that are not there, and there are none such here')
    else yield* userRecords(user, dalo.subscriber(user.place, user.username), tariffOfUser(user, dalo))
  }
}

function* allLines(tables: Tables, groups: Groups): Generator<ReplyLine> {
  for (const { replies } of groups.all()) yield* replies.lines
  for (const row of tables.rows('radreply')) yield { name: row.attribute ?? '', value: row.value ?? '' }
}

const itemOf = (row: Row): Item => ({
  attribute: textOf(row, 'attribute') ?? '',
  op: textOf(row, 'op') ?? '',
  value: row.value ?? '',
})

function itemsBy(tables: Tables, table: string, column: string): ReadonlyMap<string, readonly Item[]> {
  return new Map([...grouped(tables.rows(table), column)].map(([key, rows]) => [key, rows.map(itemOf)]))
}

function usersOf(tables: Tables, dalo: Daloradius, groups: Groups, present: Present): readonly RadiusUser[] {
  const checks = itemsBy(tables, 'radcheck', 'username')
  const replies = itemsBy(tables, 'radreply', 'username')
  const members = grouped(tables.rows('radusergroup'), 'username')
  const names = new Set([...checks.keys(), ...replies.keys(), ...members.keys(), ...dalo.usernames()])
  return [...names].map((username) => {
    const own = readReplies(replies.get(username) ?? [])
    const rows = [...(members.get(username) ?? [])].sort((a, b) => Number(a.priority ?? 0) - Number(b.priority ?? 0))
    const groupNames = rows.flatMap((row) => textOf(row, 'groupname') ?? [])
    return {
      place: `user "${username}"`,
      username,
      checks: readChecks(checks.get(username) ?? [], present),
      replies: own,
      groups: own.fallThrough === false ? [] : intended(groups, groupNames),
    }
  })
}

/** A group that rejects is put before the others while somebody is blocked; those behind it come back afterwards. */
function intended(groups: Groups, names: readonly string[]): readonly Group[] {
  const rejecting = groups.counting(names).filter(({ checks }) => checks.rejects)
  if (rejecting.length === 0) return groups.counting(names)
  return [...rejecting, ...groups.counting(names.filter((name) => !groups.find(name).checks.rejects))]
}

/** The group whose attributes are those of the tariff. */
const tariffGroup = ({ groups }: RadiusUser): Group | undefined => groups.find(({ checks }) => !checks.rejects)

/** The name of the tariff; null: there is none. */
const tariffOf = (user: RadiusUser, dalo: Daloradius): string | null =>
  dalo.planOf(user.username) ?? tariffGroup(user)?.name ?? null

/** A plan of daloRADIUS, or a group that some login has in place of one. */
function* tariffsOf(
  groups: Groups,
  { plans }: Pick<Daloradius, 'plans'>,
  used: ReadonlySet<string | null>,
  types: ReadonlySet<NasType>,
): Generator<MovedRecord> {
  for (const { name, price, groups: profiles, remarks } of plans.values()) {
    const reply = profiles.length === 0 ? [] : groups.counting(profiles).flatMap(({ replies }) => replies.lines)
    yield tariff(`billing_plans "${name}"`, name, reply, types, price)
    yield* remarks
  }
  const offered = new Set([...plans.values()].flatMap((plan) => plan.groups))
  for (const group of groups.all()) yield* remarksOf(`group "${group.name}"`, group)
  const names = new Set([...groups.all()].map(({ name }) => name))
  for (const name of new Set([...used, ...names])) {
    if (name === null || plans.has(name)) continue
    const place = `group "${name}"`
    if (used.has(name)) yield tariff(place, name, groups.find(name).replies.lines, types)
    else if (!offered.has(name) && !groups.find(name).checks.rejects)
      yield remark(place, 'nobody has it: no tariff is made')
  }
}

const tariff = (
  place: string,
  name: string,
  reply: readonly ReplyLine[],
  types: ReadonlySet<NasType>,
  price = zero,
): MovedTariff => ({ kind: 'tariff', place, name, price, ...splitSpeed(reply, types) })

/** The attributes of a plan come with it; those of a group that is not the plan's are the login's own. */
function tariffOfUser(user: RadiusUser, dalo: Daloradius): UserTariff {
  const name = tariffOf(user, dalo)
  const plan = name === null ? undefined : dalo.plans.get(name)
  const group = tariffGroup(user) ?? null
  return { name, group: group !== null && (plan === undefined || plan.groups.includes(group.name)) ? group : null }
}

function nasOf(row: Row, usual: NasType): MovedNas {
  const address = textOf(row, 'nasname') ?? ''
  const name = textOf(row, 'shortname') ?? address
  return {
    ...{ kind: 'nas', place: `nas "${address}"`, name, address, identifier: null, secret: row.secret ?? '' },
    ...{ type: typeOf(textOf(row, 'type'), usual), comment: textOf(row, 'description') },
  }
}
