import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseAddress } from '../../network/radius/wire/address.ts'
import { SourceFault } from './exchange.ts'

/** Requests, and what was said to them; `replies` null where there is no such file. */
export type DetailPair = {
  readonly requests: string
  readonly replies: string | null
  /** The NAS, by the name of the folder; null where that is no address. */
  readonly folderAddress: Uint8Array | null
}

const requestsName = 'auth-detail'
const repliesName = 'reply-detail'

/**
 * The files at a path, in the order of their names: one with requests, or all that Debian's `auth_log` has written into
 * a folder and those in it, which have the names of NAS. Beside each is that of `reply_log`.
 */
export function findPairs(path: string, replies: string | undefined): DetailPair[] {
  if (!statOf(path).isDirectory()) return [pairOf(path, replies ?? repliesOf(path))]
  if (replies !== undefined) throw new SourceFault('--replies goes with one file of requests, not with a folder.')
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => basename(name).startsWith(requestsName))
    .sort()
  const pairs = names.map((name) => pairOf(join(path, name), repliesOf(join(path, name))))
  if (pairs.length === 0)
    throw new SourceFault(`${path} has no ${requestsName}-*: FreeRADIUS writes it where auth_log stands in authorize.`)
  if (pairs.every((pair) => pair.replies === null))
    throw new SourceFault(`${path} has no ${repliesName}-*: FreeRADIUS writes it where reply_log stands in post-auth.`)
  return pairs
}

const pairOf = (requests: string, replies: string | null): DetailPair => ({
  requests,
  replies,
  folderAddress: parseAddress(basename(dirname(requests))),
})

/** The file with the replies; null: there is none. A single file may hold both requests and replies. */
function repliesOf(requests: string): string | null {
  const path = join(dirname(requests), basename(requests).replace(requestsName, repliesName))
  return path !== requests && isFile(path) ? path : null
}

/** Throws SourceFault where there is nothing. */
export function statOf(path: string) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new SourceFault(`There is no file ${path}.`)
  return stat
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true
