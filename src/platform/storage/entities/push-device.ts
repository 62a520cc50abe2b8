import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { createdNow, id } from './columns.ts'

/** A telephone or browser that takes pushes for a subscriber. */
export const PushDevice = defineEntity({
  name: 'PushDevice',
  tableName: 'push_devices',
  properties: {
    id: id(),
    subscriber: () => p.manyToOne(Abonent).deleteRule('cascade').updateRule('no action'),
    /** Given by FCM; it goes with the device to whoever signs in there. */
    token: p.text(),
    platform: p.text().$type<'android' | 'ios' | 'web'>(),
    created_at: createdNow(),
    seen_at: createdNow(),
  },
  uniques: [{ name: 'push_devices_token', properties: ['token'] }],
  checks: [{ name: 'push_devices_platform', expression: `platform IN ('android', 'ios', 'web')` }],
  indexes: [{ name: 'push_devices_subscriber', properties: ['subscriber'] }],
})
