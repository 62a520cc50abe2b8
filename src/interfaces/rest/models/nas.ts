import { nasTypes } from '../../../domain/nas.ts'
import { RealmList, realmsMust } from '../../../domain/realms.ts'
import {
  boolean,
  choice,
  datetime,
  integer,
  ip,
  key,
  longText,
  type Model,
  modelOf,
  network,
  readOnly,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
import { nasTemplate } from './nas-template.ts'
import { Nas } from '../../../platform/storage/entities/network.ts'

const tristate = ['yes', 'no', 'auto'] as const

export const nas: Model = modelOf({
  name: 'Nas',
  entity: Nas,
  label: 'nas',
  audit: 'NAS',
  doc: 'An access server.',
  access: true,
  usedBy: [{ table: 'radius_live_sessions', column: 'nas_id', noun: 'live sessions' }],
  fields: [
    key(),
    text('name', 'Name.', required),
    ip('ip', 'The source address that is answered. Either it or network is set.'),
    network(
      'network',
      'A network whose source addresses are all answered; a narrower one and a single address come first.',
    ),
    text('identifier', 'NAS-Identifier, which tells apart several records of one address or network.', {
      blankIsNull: true,
      verbatim: true,
    }),
    text('secret', 'Shared secret.', { ...required, access: 'writeOnly', verbatim: true }),
    text('secret_next', 'The next shared secret, accepted as well while the NAS are moved to it.', {
      access: 'writeOnly',
      verbatim: true,
      blankIsNull: true,
    }),
    datetime('proved_at', 'When a request last proved the secret; noted while secret_next is set.', {
      ...readOnly,
      column: 'secret_seen_at',
    }),
    datetime('next_proved_at', 'When a request last proved secret_next.', {
      ...readOnly,
      column: 'secret_next_seen_at',
    }),
    choice('nas_type', 'Decides how the speed is said.', nasTypes),
    relation('template', 'How it is told speeds and the walled garden; null: as its type is.', () => nasTemplate),
    ip('coa_ip', 'Where Disconnect and CoA requests go; null: where its packets come from.'),
    integer('coa_port', 'UDP port of Disconnect and CoA requests.', { min: 1, max: 65_535 }),
    ip('coa_source', 'Our own address that Disconnect and CoA requests leave from; null: the one that it asked last.'),
    ip('asked_ip', 'Our own address that it asked last, on a server that listens on all of them.', readOnly),
    boolean('enabled', 'Whether it is answered at all.'),
    choice('require_message_authenticator', 'As FreeRADIUS 3.2.5; auto learns from the first valid request.', tristate),
    choice('limit_proxy_state', 'As FreeRADIUS 3.2.5; auto learns from the first valid request.', tristate),
    boolean('learned_message_authenticator', 'What auto learned; null until then and after every save.', {
      ...readOnly,
    }),
    boolean('learned_proxy_state', 'What auto learned; null until then and after every save.', {
      ...readOnly,
    }),
    choice(
      'interims',
      'Whether it sends Interim-Updates; auto learns it. Without them silence ends no session.',
      tristate,
    ),
    boolean('learned_interims', 'What auto learned; null until then and after every save.', { ...readOnly }),
    integer('session_hours_max', 'Without Interim-Updates a session ends after so many hours; 168 by default.', {
      min: 1,
      max: 87_600,
    }),
    text(
      'realms',
      'Realms of login names in place of RADIUS_REALMS: isp.ru, *.isp.ru or * stripped, =kept, !refused.',
      {
        max: 1000,
        blankIsNull: true,
        fits: (value) => RealmList.parse(String(value)) !== null,
        must: realmsMust,
      },
    ),
    longText('comment', 'Comment.'),
  ],
})
