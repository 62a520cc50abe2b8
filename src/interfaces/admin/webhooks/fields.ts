import Type from 'typebox'
import { organizationId, readId } from '../../../domain/ids.ts'
import { isWebhookEvent, webhookEvents } from '../../../domain/webhook-events.ts'
import { choice, field, flag, moment, orNull, text } from '../../../platform/http/fields.ts'
import { schemas } from '../../../platform/http/schemas.ts'

const urlMax = 2_000
const descriptionMax = 200
const organizationsMax = 1_000
const keepHoursMax = 168
export const usualKeepHours = 24

/** A list, or its items separated by commas as a form sends them. */
const listOf = (sent: unknown): readonly unknown[] | null =>
  typeof sent === 'string' ? sent.split(',').map((one) => one.trim()) : Array.isArray(sent) ? sent : null

const url = field(
  Type.String({ maxLength: urlMax, description: 'https; http with private addresses that are allowed' }),
  `be an address of at most ${urlMax} characters, without user and password`,
  (sent) => {
    const read = typeof sent === 'string' && sent.length <= urlMax ? URL.parse(sent.trim()) : null
    return read?.host && read.username === '' && read.password === '' && read.hash === '' ? read.href : null
  },
)

const events = field(
  Type.Array(Type.Enum([...webhookEvents]), { minItems: 1 }),
  `be a list of ${webhookEvents.join(', ')}`,
  (sent) => {
    const names = listOf(sent)
    if (!names || names.length === 0 || !names.every(isWebhookEvent)) return null
    return webhookEvents.filter((name) => names.includes(name))
  },
)

const organizations = Type.With(
  orNull(
    field(
      Type.Array(schemas.integer, { minItems: 1, maxItems: organizationsMax }),
      'be a list of organizations, or null for all',
      (sent) => {
        const ids = listOf(sent)?.map(readId)
        if (!ids || ids.length === 0 || ids.length > organizationsMax) return null
        const read = ids.filter((id) => id !== null)
        return read.length < ids.length ? null : [...new Set(read)].sort((a, b) => a - b).map(organizationId)
      },
    ),
  ),
  { description: 'Whose events it is told; null: of all' },
)

export const createFields = {
  url,
  events,
  description: Type.Optional(text(descriptionMax)),
  organizations: Type.Optional(
    Type.With(organizations, { description: 'Whose events it is told; left out: of all that you see' }),
  ),
  enabled: Type.Optional(flag),
}

export const changeFields = {
  url: Type.Optional(url),
  events: Type.Optional(events),
  description: Type.Optional(text(descriptionMax)),
  organizations: Type.Optional(organizations),
  enabled: Type.Optional(flag),
}

export const rotationFields = {
  keep_hours: Type.Optional(
    field(
      Type.Integer({ minimum: 0, maximum: keepHoursMax, default: usualKeepHours }),
      `be from 0 to ${keepHoursMax}`,
      (sent) => (/^\d{1,3}$/.test(String(sent)) && Number(sent) <= keepHoursMax ? Number(sent) : null),
    ),
  ),
}

export const replayFields = {
  state: Type.Optional(
    Type.With(choice(['failed', 'all']), {
      description: 'failed: those that were given up; all: those that were delivered, too. Left out: failed',
    }),
  ),
  since: Type.Optional(Type.With(moment, { description: 'Of events since then; with `all` it is needed' })),
  until: Type.Optional(moment),
}
