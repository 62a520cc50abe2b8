import type { Pool } from 'pg'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import type { SubscriberActors } from '../accounts/subscribers.ts'

/** What serving a client needs, whichever interface the client uses. */
export type ClientParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly subscribers: Pick<SubscriberActors, 'status' | 'ask' | 'promiseProspect'>
  readonly settings: Pick<Settings, 'get'>
  readonly clock: Clock
}
