import { nasTypes } from '../../domain/nas.ts'
import { RealmList, realmsMust } from '../../domain/realms.ts'
import * as field from '../../platform/records/fields.ts'
import type { FieldSpec, Model } from '../../platform/records/model.ts'
import type { Step } from '../../platform/records/record-writer.ts'
import { drf, type Refusal, wrongField } from '../../platform/records/refusals.ts'
import type { Column } from '../../platform/records/rows.ts'

const tristate = ['yes', 'no', 'auto'] as const

const learned = (name: string) =>
  field.boolean(name, 'What auto learned; null until then and after every save.', field.readOnly)

/** The fields of a NAS besides its id, at every door. `template` is the model of the templates there. */
export const nasFields = (template: () => Model): FieldSpec[] => [
  field.text('name', 'Name.', field.required),
  field.ip('ip', 'The source address that is answered. Either it or network is set.'),
  field.network(
    'network',
    'A network whose source addresses are all answered; a narrower one and a single address come first.',
  ),
  field.text('identifier', 'NAS-Identifier, which tells apart several records of one address or network.', {
    blankIsNull: true,
    verbatim: true,
  }),
  field.text('secret', 'Shared secret.', { ...field.required, access: 'writeOnly', verbatim: true }),
  field.text('secret_next', 'The next shared secret, accepted as well while the NAS are moved to it.', {
    access: 'writeOnly',
    verbatim: true,
    blankIsNull: true,
  }),
  field.datetime('proved_at', 'When a request last proved the secret; noted while secret_next is set.', {
    ...field.readOnly,
    column: 'secret_seen_at',
  }),
  field.datetime('next_proved_at', 'When a request last proved secret_next.', {
    ...field.readOnly,
    column: 'secret_next_seen_at',
  }),
  field.choice('nas_type', 'Decides how the speed is said.', nasTypes),
  field.relation('template', 'How it is told speeds and the walled garden; null: as its type is.', template),
  field.ip('coa_ip', 'Where Disconnect and CoA requests go; null: where its packets come from.'),
  field.integer('coa_port', 'UDP port of Disconnect and CoA requests.', { min: 1, max: 65_535 }),
  field.ip(
    'coa_source',
    'Our own address that Disconnect and CoA requests leave from; null: the one that it asked last.',
  ),
  field.ip('asked_ip', 'Our own address that it asked last, on a server that listens on all of them.', field.readOnly),
  field.boolean('enabled', 'Whether it is answered at all.'),
  field.choice(
    'require_message_authenticator',
    'As FreeRADIUS 3.2.5; auto learns from the first valid request.',
    tristate,
  ),
  field.choice('limit_proxy_state', 'As FreeRADIUS 3.2.5; auto learns from the first valid request.', tristate),
  learned('learned_message_authenticator'),
  learned('learned_proxy_state'),
  field.choice(
    'interims',
    'Whether it sends Interim-Updates; auto learns it. Without them silence ends no session.',
    tristate,
  ),
  learned('learned_interims'),
  field.integer('session_hours_max', 'Without Interim-Updates a session ends after so many hours; 168 by default.', {
    min: 1,
    max: 87_600,
  }),
  field.text(
    'realms',
    'Realms of login names in place of RADIUS_REALMS: isp.ru, *.isp.ru or * stripped, =kept, !refused.',
    {
      max: 1000,
      blankIsNull: true,
      fits: (value) => RealmList.parse(String(value)) !== null,
      must: realmsMust,
    },
  ),
  field.longText('comment', 'Comment.'),
]

/** The tables whose rows keep a NAS from being deleted. */
export const nasUsedBy = [{ table: 'radius_live_sessions', column: 'nas_id', noun: 'live sessions' }] as const

/**
 * A record is of an address or of a network. What has been learned about the NAS is reset, because it must be learned
 * again after every save (contract section 6).
 */
export function deriveNas({ values, before }: Step): readonly Column[] | Refusal {
  const after = (name: string) => (values.has(name) ? values.get(name)!.value : (before?.[name] ?? null))
  const hasIp = after('ip') !== null
  if (hasIp === (after('network') !== null))
    return hasIp
      ? wrongField('network', 'Either ip or network is set, not both.')
      : wrongField('ip', drf.required, 'required')
  const resets = [
    'learned_message_authenticator',
    'learned_proxy_state',
    'learned_interims',
    'secret_seen_at',
    'secret_next_seen_at',
  ]
  return resets.map((column) => ({ column, value: null }))
}
