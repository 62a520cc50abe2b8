import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const path = 'node_modules/.cache/tollgate/test-seconds.json'

/**
 * Of files that take long, so that they begin first also on a machine that has timed nothing yet, as CI does on a fresh
 * one: one of them that begins last is waited for by all.
 */
export const usualSeconds: Readonly<Record<string, number>> = {
  'test/peers/console.peer.ts': 40,
  'test/journeys/chaos.test.ts': 28,
  'test/peers/console-line.peer.ts': 25,
  'test/peers/pppd.peer.ts': 23,
  'test/peers/console-dictionaries.peer.ts': 20,
  'test/interfaces/hostile-bodies.test.ts': 20,
  'test/peers/search-box.peer.ts': 16,
  'test/peers/console-many.peer.ts': 16,
  'test/peers/console-network.peer.ts': 16,
  'test/peers/l2tpns.peer.ts': 14,
  'test/billing/accounts/model/model.test.ts': 13,
  'test/interfaces/rest-v2-queries.test.ts': 13,
  'test/journeys/frozen-stop.test.ts': 12,
  'test/peers/console-people.peer.ts': 12,
  'test/peers/hostapd.peer.ts': 12,
  'test/peers/openvpn.peer.ts': 12,
  'test/billing/jobs/billing-races.test.ts': 12,
  'test/peers/console-papers.peer.ts': 11,
  'test/peers/console-services.peer.ts': 11,
  'test/peers/drf.peer.ts': 11,
  'test/peers/watch.peer.ts': 11,
  'test/peers/addresses.peer.ts': 11,
  'test/journeys/kill.test.ts': 11,
  'test/peers/console-accounts.peer.ts': 11,
  'test/platform/http/hostile.test.ts': 10,
  'test/interfaces/why.test.ts': 10,
  'test/peers/radius-load.peer.ts': 10,
  'test/billing/importing/import-subscribers.test.ts': 9,
  'test/interfaces/mobile-fuzz.test.ts': 9,
  'test/journeys/garden.test.ts': 9,
  'test/app/lifetime.test.ts': 9,
  'test/peers/console-why.peer.ts': 8,
  'test/peers/portal.peer.ts': 8,
  'test/peers/staff-account.peer.ts': 8,
  'test/interfaces/rest-v2-counts.test.ts': 8,
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
