import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const path = 'node_modules/.cache/tollgate/test-seconds.json'

/**
 * Of files that take long, so that they begin first also on a machine that has timed nothing yet, as CI does on a fresh
 * one: one of them that begins last is waited for by all.
 */
export const usualSeconds: Readonly<Record<string, number>> = {
  'test/peers/console.peer.ts': 53,
  'test/peers/console-dictionaries.peer.ts': 52,
  'test/peers/console-many.peer.ts': 46,
  'test/peers/console-line.peer.ts': 43,
  'test/peers/console-accounts.peer.ts': 39,
  'test/peers/pppd.peer.ts': 30,
  'test/peers/console-system.peer.ts': 27,
  'test/peers/watch.peer.ts': 24,
  'test/peers/console-tickets.peer.ts': 23,
  'test/journeys/chaos.test.ts': 21,
  'test/peers/console-messages.peer.ts': 19,
  'test/peers/console-people.peer.ts': 19,
  'test/interfaces/hostile-bodies.test.ts': 19,
  'test/peers/hostapd.peer.ts': 17,
  'test/peers/console-reports.peer.ts': 16,
  'test/network/radius/udp/by-dgram.test.ts': 16,
  'test/peers/search-box.peer.ts': 16,
  'test/peers/console-network.peer.ts': 15,
  'test/peers/traffic.peer.ts': 15,
  'test/journeys/kill.test.ts': 15,
  'test/journeys/frozen-stop.test.ts': 14,
  'test/platform/http/streaming.test.ts': 14,
  'test/billing/accounts/model/model.test.ts': 14,
  'test/app/lifetime.test.ts': 13,
  'test/peers/l2tpns.peer.ts': 13,
  'test/peers/console-services.peer.ts': 12,
  'test/app/commands.test.ts': 12,
  'test/interfaces/staff-runs.test.ts': 12,
  'test/peers/addresses.peer.ts': 12,
  'test/peers/openvpn.peer.ts': 11,
  'test/billing/jobs/billing-races.test.ts': 11,
  'test/peers/console-why.peer.ts': 11,
  'test/journeys/garden.test.ts': 11,
  'test/interfaces/rest-v2-counts.test.ts': 11,
  'test/platform/http/hostile.test.ts': 10,
  'test/interfaces/why.test.ts': 10,
  'test/interfaces/rest-v2-queries.test.ts': 10,
  'test/peers/staff-account.peer.ts': 10,
  'test/peers/radius-load.peer.ts': 10,
  'test/billing/clients/status.test.ts': 9,
  'test/peers/strongswan.peer.ts': 9,
  'test/billing/accounts/races.test.ts': 9,
  'test/billing/jobs/billing-rules.test.ts': 9,
  'test/platform/postgres/server.test.ts': 8,
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
