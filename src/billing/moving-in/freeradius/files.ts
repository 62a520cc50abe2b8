import type { Present } from '../moments.ts'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { NasType } from '../../../domain/nas.ts'
import { type MovedNas, type MovedRecord, plainSubscriber, remark } from '../records.ts'
import { SourceFault } from '../tables/tables.ts'
import { type Client, readClients } from './clients-file.ts'
import { readChecks, readReplies } from './items.ts'
import { typeOf, usualType } from './nas-types.ts'
import { type RadiusUser, userRecords } from './user.ts'
import { type Include, readUsers, type UsersEntry } from './users-file.ts'

/** Where FreeRADIUS 2 and 3 keep their users. */
const usersFiles = ['users', 'mods-config/files/authorize']
const clientsFile = 'clients.conf'

/** What the files `users` and `clients.conf` say in a folder such as /etc/freeradius/3.0; one may be missing. */
export function* readFreeradiusFiles(folder: string, present: Present): Generator<MovedRecord> {
  const users = usersFiles.find((file) => existsSync(join(folder, file)))
  const hasClients = existsSync(join(folder, clientsFile))
  if (users === undefined && !hasClients)
    throw new SourceFault(`${folder} has neither ${usersFiles.join(' nor ')} nor ${clientsFile}.`)
  const entries =
    users === undefined ? [] : readUsers(users, textOf(join(folder, users)), includeOf(join(folder, users)))
  const clients = hasClients
    ? readClients(clientsFile, textOf(join(folder, clientsFile)), includeOf(join(folder, clientsFile)))
    : []
  const usual = usualType(
    entries.flatMap(({ replies }) => replies.map(({ attribute, value }) => ({ name: attribute, value }))),
  )
  for (const client of clients) yield nasOf(client, usual)
  yield* subscribersOf(entries, present)
}

/** Of several entries of a name the first counts, as it does there unless it says Fall-Through. */
function* subscribersOf(entries: readonly UsersEntry[], present: Present): Generator<MovedRecord> {
  const seen = new Set<string>()
  for (const { place, name, checks, replies } of entries) {
    if (name === 'DEFAULT') {
      yield remark(place, 'an entry DEFAULT is not carried over: give its attributes to a tariff')
      continue
    }
    if (seen.has(name)) {
      yield remark(place, 'an entry of a user who has one already is not carried over')
      continue
    }
    seen.add(name)
    const user: RadiusUser = {
      ...{ place, username: name, groups: [], checks: readChecks(checks, present), replies: readReplies(replies) },
    }
    yield* userRecords(user, plainSubscriber(place, name, name), { name: null, group: null })
  }
}

function nasOf({ place, name, address, secret, shortname, type }: Client, usual: NasType): MovedNas {
  return {
    ...{ kind: 'nas', place, name: shortname ?? name, address, identifier: null, secret },
    ...{ type: typeOf(type, usual), comment: null },
  }
}

/** Without the byte order mark that editors of Windows write. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    throw new SourceFault(`${path} cannot be read: ${(error as Error).message}.`)
  }
}

/** Files that include each other several times over would be read more often than anybody waits for. */
const includedMax = 10_000

/** Included files stand beside the one that includes them, and the places of their lines name them. */
function includeOf(path: string): Include {
  const folder = dirname(realpathSync(path))
  let included = 0
  return (name) => {
    if (++included > includedMax) throw new SourceFault(`${path} includes more than ${includedMax} files.`)
    return { file: name, text: textOf(resolve(folder, name)) }
  }
}
