import { defineEntity, p } from '@mikro-orm/postgresql'

/** The sessions of RADIUS_SESSIONS that have not ended, apart from them so that an end writes to no index of theirs. */
export const RadiusLiveSession = defineEntity({
  name: 'RadiusLiveSession',
  tableName: 'radius_live_sessions',
  properties: {
    session_id: p.bigint('number').primary().autoincrement(false),
    nas_id: p.bigint('number'),
  },
  indexes: [{ name: 'radius_live_sessions_nas', properties: ['nas_id'] }],
})
