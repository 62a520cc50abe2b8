import { createdNow, id, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A telephone or browser that takes pushes for a subscriber. */
export const PushDevice = entity('push_devices', {
  columns: {
    id: id(),
    subscriber_id: reference('abonents').onDelete('cascade'),
    /** Given by FCM; it goes with the device to whoever signs in there. */
    token: text(),
    platform: text<'android' | 'ios' | 'web'>(),
    created_at: createdNow(),
    seen_at: createdNow(),
  },
  uniques: [{ name: 'push_devices_token', columns: ['token'] }],
  checks: [{ name: 'push_devices_platform', expression: `platform IN ('android', 'ios', 'web')` }],
  indexes: [{ name: 'push_devices_subscriber', columns: ['subscriber_id'] }],
})
