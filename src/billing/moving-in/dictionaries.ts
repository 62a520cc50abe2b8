import { isIP } from 'node:net'
import type { Client } from 'pg'
import type { Author } from '../../domain/author.ts'
import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { type Diff, writeAudit } from '../../platform/storage/audit.ts'
import { inTransaction } from '../importing/transaction.ts'
import type { Count, Findings } from './findings.ts'
import type { MovedNas, MovedTariff, ReplyLine, Speed } from './records.ts'
import { clean, commentMax, nameMax } from './plain-text.ts'
import { type ReplyFault, usableLines } from './reply-lines.ts'
import { isTariffSpeed, speedMbitMax } from './speeds.ts'

export type DictionaryParts = {
  readonly client: Client
  readonly secrets: Secrets
  /** False: nothing is written. */
  readonly apply: boolean
  readonly findings: Findings
  readonly replyFault: ReplyFault
}

/** Whose doing it is in the audit. */
export const moveAuthor: Author = { staffId: null, name: 'import_from', address: '' }

type TariffRow = {
  readonly id: string
  readonly price: string
  readonly speed: string | null
  readonly upload: string | null
  readonly reply: readonly ReplyLine[]
}

/** Makes a tariff, or compares it with the one of its name. Returns its id; in a dry run a new one has none. */
export async function moveTariff(parts: DictionaryParts, tariff: MovedTariff): Promise<string | null> {
  const { client, apply, findings } = parts
  const { place, price } = tariff
  const name = clean(tariff.name, nameMax) ?? ''
  const speed = fittingSpeed(parts, tariff)
  const reply = usableLines(parts, place, tariff.reply)
  findings.tariffs.there++
  const { rows } = await client.query<TariffRow>(
    `SELECT id, price::text AS price, speed_mbit::text AS speed, upload_mbit::text AS upload, radius_reply AS reply
      FROM tarifs WHERE trim(name) = $1 ORDER BY id`,
    [name],
  )
  const [down, up] = [mbit(speed?.downKbit), mbit(speed?.upKbit)]
  const [known] = rows
  if (known) {
    const isSame = (stored: string | null, value: string | null) => Number(stored ?? 0) === Number(value ?? 0)
    const differences = [
      ...(moneyFromUnits(known.price) === price
        ? []
        : [`price (${formatRubles(moneyFromUnits(known.price))} here, ${formatRubles(price)} there)`]),
      ...(isSame(known.speed, down) && isSame(known.upload ?? known.speed, up) ? [] : ['speed']),
      ...(sameReply(known.reply, reply) ? [] : ['radius_reply']),
    ]
    settle(findings, findings.tariffs, `tariff "${name}" is here`, place, differences)
    return known.id
  }
  findings.tariffs.made++
  if (!apply) return null
  const upload = up === down ? null : up
  return await inTransaction(client, async () => {
    const made = await client.query<{ id: string }>(
      'INSERT INTO tarifs (name, price, speed_mbit, upload_mbit, radius_reply) VALUES ($1, $2, $3, $4, $5) RETURNING id',
      [name, String(price), down, upload, JSON.stringify(reply)],
    )
    const { id } = made.rows[0]!
    await audit(client, 'TARIF', id, {
      name,
      price: formatRubles(price),
      speed_mbit: down,
      upload_mbit: upload,
      radius_reply: reply,
    })
    return id
  })
}

function fittingSpeed({ findings }: DictionaryParts, { place, speed }: MovedTariff): Speed | null {
  if (speed === null || [speed.downKbit, speed.upKbit].every(isTariffSpeed)) return speed
  findings.note('remark', place, `the speed is not from 1 kbit/s to ${speedMbitMax} Mbit/s and is left out`)
  return null
}

type NasRow = { readonly secret: string; readonly type: string; readonly name: string }

/** Makes a NAS, or compares it with the one of its address. */
export async function moveNas(parts: DictionaryParts, nas: MovedNas): Promise<void> {
  const { client, secrets, apply, findings } = parts
  const { place, identifier, secret, type } = nas
  const [name, comment] = [clean(nas.name, nameMax) ?? '', clean(nas.comment, commentMax)]
  findings.nas.there++
  const where = placeOfNas(nas.address)
  if ('fault' in where || secret === '') {
    findings.nas.left++
    findings.note('left', place, 'fault' in where ? where.fault : 'has no secret')
    return
  }
  const { column, address } = where
  const { rows } = await client.query<NasRow>(
    `SELECT secret, nas_type AS type, name FROM nas WHERE ${column} = network($1::inet) AND coalesce(identifier, '') = $2`,
    [address, identifier ?? ''],
  )
  const [known] = rows
  if (known) {
    const differences = [
      ...(secrets.openOrNull(known.secret) === secret ? [] : ['secret']),
      ...(known.type === type ? [] : ['nas_type']),
    ]
    settle(findings, findings.nas, `NAS "${known.name}" is here`, place, differences)
    return
  }
  findings.nas.made++
  if (!apply) return
  await inTransaction(client, async () => {
    const made = await client.query<{ id: string; place: string }>(
      `INSERT INTO nas (name, ${column}, identifier, secret, nas_type, comment) VALUES ($1, network($2::inet), $3, $4, $5, $6)
        RETURNING id, ${column === 'ip' ? 'host(ip)' : 'network::text'} AS place`,
      [name, address, identifier, secrets.seal(secret), type, comment],
    )
    const { id, place } = made.rows[0]!
    await audit(client, 'NAS', id, { name, [column]: place, identifier, secret: '***', nas_type: type, comment })
  })
}

/** A network of one address is that address. */
function placeOfNas(text: string): { column: 'ip' | 'network'; address: string } | { fault: string } {
  const [address = '', bits, ...rest] = text.trim().split('/')
  const family = isIP(address)
  const max = family === 4 ? 32 : 128
  if (family === 0 || rest.length > 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= max)))
    return { fault: `"${text.slice(0, 60)}" is neither an address nor a network; a NAS is known by its address here` }
  return bits === undefined || Number(bits) === max
    ? { column: 'ip', address }
    : { column: 'network', address: text.trim() }
}

/** One that is here stays as it is. */
function settle(findings: Findings, count: Count, what: string, place: string, differences: readonly string[]): void {
  if (differences.length === 0) {
    count.same++
    return
  }
  count.differing++
  findings.note('differing', place, `${what} and stays as it is; ${differences.join(', ')} would differ`)
}

const mbit = (kbit: Speed['downKbit'] | undefined): string | null =>
  kbit === undefined ? null : (kbit / 1000).toFixed(3)

const sameReply = (a: readonly ReplyLine[], b: readonly ReplyLine[]): boolean =>
  a.length === b.length &&
  a.every((line, at) => line.name === b[at]!.name && line.value === b[at]!.value && line.op === b[at]!.op)

async function audit(
  client: Client,
  table: string,
  id: string,
  created: Readonly<Record<string, unknown>>,
): Promise<void> {
  const diff: Diff = Object.fromEntries(
    Object.entries(created).flatMap(([name, value]) => (value === null ? [] : [[name, [null, value] as const]])),
  )
  await writeAudit(client, { author: moveAuthor, table, id, action: 'create', diff, organizationId: null })
}
