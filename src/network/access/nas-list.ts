import { nasId } from '../../domain/ids.ts'
import { type AnswerTemplate, type NasEntry, nasTypes } from '../../domain/nas.ts'
import type { Log } from '../../platform/log.ts'
import type { Database } from '../../platform/storage/database.ts'
import { Nas } from '../../platform/storage/entities/network.ts'
import { columnList, columnNames, type RowOf } from '../../platform/storage/entity.ts'
import { compileTemplate } from '../radius/wire/answer-template.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'

type NasRow = RowOf<typeof Nas> & { template: AnswerTemplate | null }

const addresses = ['ip', 'coa_ip', 'coa_source', 'asked_ip'] as const
const others = columnNames(Nas).filter((name) => !addresses.some((address) => address === name))
const hosts = addresses.map((name) => `host(${name}) AS ${name}`).join(', ')

const template = `SELECT json_build_object('accept', accept, 'coa', coa, 'garden', garden) FROM nas_templates AS t WHERE t.id = template_id`

const nasSql = `SELECT ${columnList(others)}, ${hosts}, (${template}) AS template FROM nas ORDER BY id`

/** Every NAS with its secret in clear text. A NAS whose secret cannot be decrypted is logged and left out. */
export async function loadNas(database: Database, secrets: Secrets, log: Log): Promise<NasEntry[]> {
  const { rows } = await database.pool.query<NasRow>(nasSql)
  return rows.flatMap((row) => {
    try {
      return [{ ...entryOf(row, secrets), ...usableTemplate(row, log) }]
    } catch (error) {
      log.error('The secret of a NAS cannot be read; it gets no answers.', { nas: row.name, error })
      return []
    }
  })
}

/** The dictionary may have lost an attribute since the template was saved; then that of the type applies. */
function usableTemplate({ name, template }: NasRow, log: Log): Pick<NasEntry, 'template'> {
  if (template === null) return {}
  const compiled = compileTemplate(template)
  if (!('fault' in compiled)) return { template }
  log.error('The template of a NAS cannot be used; its type decides.', { nas: name, reason: compiled.fault })
  return {}
}

const entryOf = (row: NasRow, secrets: Secrets): NasEntry => ({
  id: nasId(row.id),
  name: row.name,
  ip: row.ip,
  network: row.network,
  identifier: row.identifier,
  secret: secrets.open(row.secret),
  secretNext: row.secret_next === null ? null : secrets.open(row.secret_next),
  secretSeenAtMs: row.secret_seen_at?.getTime() ?? null,
  secretNextSeenAtMs: row.secret_next_seen_at?.getTime() ?? null,
  type: nasTypes.find((type) => type === row.nas_type) ?? 'generic',
  coaIp: row.coa_ip,
  coaPort: row.coa_port,
  coaSource: row.coa_source,
  askedIp: row.asked_ip,
  enabled: row.enabled,
  requireMessageAuthenticator: row.require_message_authenticator,
  limitProxyState: row.limit_proxy_state,
  learnedMessageAuthenticator: row.learned_message_authenticator,
  learnedProxyState: row.learned_proxy_state,
  interims: row.interims,
  learnedInterims: row.learned_interims,
  sessionHoursMax: row.session_hours_max,
  realms: row.realms ?? '',
})
