import { int8 } from '../columns.ts'
import { entity } from '../entity.ts'

/** The sessions of RADIUS_SESSIONS that have not ended, apart from them so that an end writes to no index of theirs. */
export const RadiusLiveSession = entity('radius_live_sessions', {
  columns: {
    session_id: int8().primary(),
    nas_id: int8(),
  },
  indexes: [{ name: 'radius_live_sessions_nas', columns: ['nas_id'] }],
})
