import type { Pool } from 'pg'
import type { SubscriberActors } from '../accounts/subscribers.ts'
import type { Clock } from '../actors/clock.ts'
import type { Settings } from '../settings/settings.ts'

/** What clients are served from, whichever door they come by. */
export type ClientParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly subscribers: Pick<SubscriberActors, 'status' | 'ask' | 'promiseProspect'>
  readonly settings: Pick<Settings, 'get'>
  readonly clock: Clock
}
