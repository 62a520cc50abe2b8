import { normalMac } from '../../domain/mac.ts'
import { tariffPrice } from './money.ts'
import type { Encoding } from '../importing/file.ts'
import { clear } from './passwords.ts'
import {
  type MovedLogin,
  type MovedRecord,
  type MovedTariff,
  plainLogin,
  plainSubscriber,
  remark,
  type ReplyLine,
} from './records.ts'
import { speedOf } from './speeds.ts'
import { decodedFile } from './tables/csv.ts'
import { SourceFault } from './tables/tables.ts'

/** A line `add …` of an export of RouterOS, with the menu that it stands in. */
type Added = { readonly place: string; readonly menu: string; readonly values: ReadonlyMap<string, string> }

/** Menus of the User Manager of RouterOS 7, and what those of RouterOS 6 are called there. */
const menus: Readonly<Record<string, string>> = {
  'tool user-manager user': 'user-manager user',
  'tool user-manager profile': 'user-manager profile',
  'tool user-manager profile limitation': 'user-manager limitation',
  'tool user-manager profile profile-limitation': 'user-manager profile-limitation',
  'tool user-manager router': 'user-manager router',
}

/** What `/user-manager export show-sensitive` of RouterOS 7 has written, or `/tool user-manager export` of 6. */
export function* readUserManager(path: string, encoding: Encoding): Generator<MovedRecord> {
  const added = readExport(path, encoding)
  const of = (menu: string) => added.filter((one) => one.menu === `user-manager ${menu}`)
  if (added.every(({ menu }) => !menu.startsWith('user-manager ')))
    throw new SourceFault(`${path} has nothing of a User Manager.`)
  for (const { place, values } of of('router')) {
    const address = values.get('address') ?? values.get('ip-address') ?? ''
    yield {
      ...{ kind: 'nas', place, name: values.get('name') ?? address, address, identifier: null, type: 'mikrotik' },
      ...{ secret: values.get('shared-secret') ?? '', comment: values.get('comment') ?? null },
    }
  }
  yield* tariffs(of('profile'), of('profile-limitation'), of('limitation'))
  const profileOf = new Map(
    of('user-profile').map(({ values }) => [values.get('user') ?? '', values.get('profile') ?? null]),
  )
  for (const user of of('user')) yield* subscriber(user, profileOf)
}

function* tariffs(
  profiles: readonly Added[],
  links: readonly Added[],
  limitations: readonly Added[],
): Generator<MovedRecord> {
  const byName = new Map(limitations.map((one) => [one.values.get('name') ?? '', one]))
  for (const { place, values } of profiles) {
    const name = values.get('name') ?? ''
    const own = links.filter((link) => link.values.get('profile') === name)
    const reply = own.flatMap((link) => rateLimit(byName.get(link.values.get('limitation') ?? '')))
    const speed = speedOf(reply)
    const { price, remarks } = tariffPrice(place, values.get('price'))
    const tariff: MovedTariff = { kind: 'tariff', place, name, price, speed, reply: speed === null ? reply : [] }
    yield tariff
    yield* remarks
    const validity = values.get('validity') ?? 'unlimited'
    if (validity !== 'unlimited' && validity !== '4w2d')
      yield remark(place, 'is valid for another time than a month; a tariff here has its price a month')
    if (own.length > 1) yield remark(place, 'has several limitations; the speed is that of the first')
    for (const link of own)
      for (const name of ['transfer-limit', 'uptime-limit', 'download-limit', 'upload-limit'])
        if (byName.get(link.values.get('limitation') ?? '')?.values.has(name))
          yield remark(place, `${name} is not carried over`)
  }
}

/** As RouterOS itself says it to a client of RADIUS. */
function rateLimit(limitation: Added | undefined): ReplyLine[] {
  const [rx, tx] = [limitation?.values.get('rate-limit-rx'), limitation?.values.get('rate-limit-tx')]
  return rx && tx ? [{ name: 'Mikrotik-Rate-Limit', value: `${rx.replace('B', '')}/${tx.replace('B', '')}` }] : []
}

function* subscriber({ place, values }: Added, profileOf: ReadonlyMap<string, string | null>): Generator<MovedRecord> {
  const name = values.get('name') ?? values.get('username') ?? ''
  const password = values.get('password')
  const reply: ReplyLine[] = []
  let ip = values.get('ip-address') ?? null
  for (const pair of (values.get('attributes') ?? '').split(',').filter(Boolean)) {
    const [attribute = '', ...rest] = pair.split(':')
    if (attribute === 'Framed-IP-Address') ip = rest.join(':')
    else reply.push({ name: attribute, value: rest.join(':'), op: '=' })
  }
  const station = values.get('caller-id') ?? null
  const mac = station === null ? null : normalMac(station)
  if (station !== null && mac === null && station !== 'bind')
    yield remark(place, 'caller-id is not a MAC address and not carried over')
  const login: MovedLogin = {
    ...plainLogin(
      place,
      name,
      password === undefined ? { kind: 'unreadable', why: 'is not in the export (show-sensitive)' } : clear(password),
    ),
    ...{ ip, mac, reply },
    simultaneousUse: /^\d+$/.test(values.get('shared-users') ?? '') ? Number(values.get('shared-users')) : null,
  }
  const person = [values.get('first-name'), values.get('last-name')].filter(Boolean).join(' ')
  yield {
    ...plainSubscriber(place, name, person || name),
    ...{
      email: values.get('email') ?? null,
      phone: values.get('phone') ?? null,
      address: values.get('location') ?? null,
    },
    ...{ comment: values.get('comment') ?? null, tariff: profileOf.get(name) ?? values.get('actual-profile') ?? null },
    ...{ blocked: values.get('disabled') === 'yes' ? 'operator' : null, logins: [login] },
  }
}

const pair = /([\w.-]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/y

/** Lines that end with a backslash go on in the next one. */
function readExport(path: string, encoding: Encoding): readonly Added[] {
  const lines = decodedFile(path, encoding).split(/\r?\n/)
  const added: Added[] = []
  let menu = ''
  let open: { line: number; text: string } | null = null
  for (const [index, line] of lines.entries()) {
    const whole: { line: number; text: string } =
      open === null ? { line: index + 1, text: line } : { ...open, text: open.text + line.trimStart() }
    open = whole.text.endsWith('\\') ? { ...whole, text: whole.text.slice(0, -1) } : null
    if (open !== null || whole.text.trim() === '' || whole.text.startsWith('#')) continue
    const [, path = '', verb, rest = ''] =
      /^(?:\/([a-z0-9 -]+?))?(?:(?:^|\s)(add|set)\s+(.*))?$/.exec(whole.text.trim()) ?? []
    if (path !== '') menu = path
    if (verb === 'add')
      added.push({
        place: `line ${whole.line}`,
        menu: menus[menu] ?? menu,
        values: valuesOf(rest, whole.line, encoding),
      })
  }
  if (open !== null) throw new SourceFault(`${path} is cut off: its last line goes on.`)
  return added
}

function valuesOf(text: string, line: number, encoding: Encoding): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (let rest = text.trim(); rest !== ''; rest = rest.slice(pair.lastIndex).trimStart()) {
    pair.lastIndex = 0
    const [, name, quoted, bare] = pair.exec(rest) ?? []
    if (name === undefined)
      throw new SourceFault(`line ${line}: "${rest.slice(0, 40)}" is not understood as <name>=<value>.`)
    values.set(name, quoted === undefined ? bare! : unescaped(quoted, line, encoding))
  }
  return values
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', _: ' ' }

/**
 * As RouterOS writes texts: two hexadecimal digits for a byte, or a letter. The encoding of the bytes is that of
 * whoever has typed them.
 */
const unescaped = (text: string, line: number, encoding: Encoding): string =>
  text.replace(/((?:\\[0-9A-F]{2})+)|\\(.)/g, (_, bytes: string | undefined, letter: string) => {
    if (bytes === undefined) return escapes[letter] ?? letter
    try {
      const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
      return decoder.decode(Buffer.from(bytes.replaceAll('\\', ''), 'hex'))
    } catch {
      throw new SourceFault(`line ${line} is not ${encoding}; name its encoding with --encoding.`)
    }
  })
