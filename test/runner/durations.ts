import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const path = 'node_modules/.cache/tollgate/test-seconds.json'

/**
 * Of files that take long, so that they begin first also on a machine that has timed nothing yet, as CI does on a fresh
 * one: one of them that begins last is waited for by all.
 */
export const usualSeconds: Readonly<Record<string, number>> = {
  'test/peers/console.peer.ts': 45,
  'test/peers/console-system.peer.ts': 38,
  'test/peers/console-dictionaries.peer.ts': 34,
  'test/app/backup.test.ts': 34,
  'test/peers/console-many.peer.ts': 34,
  'test/journeys/chaos-nodes.test.ts': 33,
  'test/peers/pppd.peer.ts': 31,
  'test/peers/console-line.peer.ts': 28,
  'test/peers/console-accounts.peer.ts': 27,
  'test/app/edge.test.ts': 26,
  'test/peers/watch.peer.ts': 24,
  'test/app/nodes.test.ts': 23,
  'test/peers/console-tickets.peer.ts': 19,
  'test/peers/console-messages.peer.ts': 18,
  'test/interfaces/hostile-bodies.test.ts': 17,
  'test/journeys/chaos.test.ts': 17,
  'test/peers/two-releases.peer.ts': 16,
  'test/billing/importing/import-subscribers.test.ts': 15,
  'test/peers/console-network.peer.ts': 15,
  'test/peers/console-papers.peer.ts': 15,
  'test/peers/hostapd.peer.ts': 14,
  'test/peers/console-reports.peer.ts': 14,
  'test/peers/l2tpns.peer.ts': 13,
  'test/peers/console-people.peer.ts': 13,
  'test/peers/staff-account.peer.ts': 13,
  'test/platform/http/hostile.test.ts': 12,
  'test/interfaces/staff-runs.test.ts': 12,
  'test/peers/traffic.peer.ts': 12,
  'test/journeys/garden.test.ts': 11,
  'test/interfaces/reports.test.ts': 11,
  'test/journeys/frozen-stop.test.ts': 11,
  'test/peers/openvpn.peer.ts': 10,
  'test/billing/jobs/billing-races.test.ts': 10,
  'test/platform/postgres/server.test.ts': 10,
  'test/interfaces/rest-v2-counts.test.ts': 10,
  'test/app/commands.test.ts': 10,
  'test/peers/moving-in.peer.ts': 10,
  'test/peers/radius-load.peer.ts': 10,
  'test/billing/importing/beside-serve.test.ts': 9,
  'test/interfaces/why.test.ts': 9,
  'test/peers/search-box.peer.ts': 9,
  'test/journeys/kill.test.ts': 9,
  'test/peers/addresses.peer.ts': 9,
  'test/journeys/messages.test.ts': 9,
  'test/interfaces/system-outage.test.ts': 9,
  'test/app/lifetime.test.ts': 9,
  'test/journeys/payment-storm.test.ts': 9,
  'test/peers/postgres-major.peer.ts': 8,
  'test/peers/drf.peer.ts': 8,
  'test/peers/portal.peer.ts': 8,
}

/** Seconds of each test file in its last run on this machine. */
export function rememberedSeconds(): Record<string, number> {
  try {
    return { ...usualSeconds, ...(JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>) }
  } catch {
    return { ...usualSeconds }
  }
}

export function rememberSeconds(times: readonly { file: string; seconds: number }[]): void {
  const all = { ...rememberedSeconds(), ...Object.fromEntries(times.map(({ file, seconds }) => [file, seconds])) }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(all))
}
