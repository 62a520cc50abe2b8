import { Outlet } from '@tanstack/react-router'
import type { Frame } from '../../live/socket.ts'
import { useFollowing } from '../../live/use-following.ts'
import { CoaHistory, SignIns } from './logins/heard.tsx'
import { Logins } from './logins/logins.tsx'
import { LiveSessions, PastSessions } from './traffic/sessions.tsx'
import { Traffic } from './traffic/traffic.tsx'
import { useSubscriber } from './use-subscriber.ts'

const followed = ['GET /admin/radius/sessions/', 'GET /admin/radius/log/', 'GET /admin/radius/coa/'] as const
/** A reject is a row within two seconds. */
const followMs = 3_000
/** Each report of a session tells how much it carries, and of many logins many come at once. */
const reportsMs = 5_000
const isReport = ({ type }: Frame): boolean => type === 'session.updated'

export default function Connection() {
  const { id } = useSubscriber().subscriber
  useFollowing([`abonent:${id}`], followed, followMs)
  useFollowing([`abonent:${id}`], ['GET /admin/radius/sessions/'], reportsMs, isReport)
  return (
    <>
      <Logins />
      <LiveSessions abonent={id} />
      <SignIns />
      <CoaHistory />
      <Traffic abonent={id} />
      <PastSessions abonent={id} />
      <Outlet />
    </>
  )
}
