import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const path = 'node_modules/.cache/tollgate/test-seconds.json'

/**
 * Of files that take long, so that they begin first also on a machine that has timed nothing yet, as CI does on a fresh
 * one: one of them that begins last is waited for by all.
 */
export const usualSeconds: Readonly<Record<string, number>> = {
  'test/journeys/chaos-nodes.test.ts': 55,
  'test/peers/console.peer.ts': 52,
  'test/peers/console-dictionaries.peer.ts': 42,
  'test/peers/console-system.peer.ts': 37,
  'test/interfaces/hostile-bodies.test.ts': 37,
  'test/app/backup.test.ts': 37,
  'test/peers/console-line.peer.ts': 36,
  'test/peers/console-many.peer.ts': 35,
  'test/peers/console-accounts.peer.ts': 27,
  'test/peers/watch.peer.ts': 24,
  'test/peers/pppd.peer.ts': 23,
  'test/peers/two-releases.peer.ts': 23,
  'test/app/edge.test.ts': 22,
  'test/peers/console-tickets.peer.ts': 21,
  'test/journeys/chaos.test.ts': 21,
  'test/app/nodes.test.ts': 21,
  'test/peers/search-box.peer.ts': 21,
  'test/billing/accounts/model/model.test.ts': 20,
  'test/peers/postgres-major.peer.ts': 18,
  'test/peers/console-messages.peer.ts': 17,
  'test/peers/l2tpns.peer.ts': 16,
  'test/peers/console-people.peer.ts': 15,
  'test/peers/staff-account.peer.ts': 15,
  'test/peers/console-network.peer.ts': 15,
  'test/billing/clients/status.test.ts': 14,
  'test/peers/drf.peer.ts': 14,
  'test/interfaces/rest-v2-counts.test.ts': 13,
  'test/peers/traffic.peer.ts': 13,
  'test/app/commands.test.ts': 13,
  'test/interfaces/reports.test.ts': 13,
  'test/interfaces/why.test.ts': 13,
  'test/peers/console-papers.peer.ts': 13,
  'test/peers/console-why.peer.ts': 13,
  'test/peers/moving-in.peer.ts': 12,
  'test/peers/console-reports.peer.ts': 12,
  'test/journeys/messages.test.ts': 12,
  'test/journeys/payment-storm.test.ts': 12,
  'test/journeys/kill.test.ts': 12,
  'test/journeys/frozen-stop.test.ts': 12,
  'test/peers/openvpn.peer.ts': 12,
  'test/network/radius/udp/by-dgram.test.ts': 12,
  'test/journeys/garden.test.ts': 12,
  'test/peers/hostapd.peer.ts': 11,
  'test/peers/radius-load.peer.ts': 11,
  'test/interfaces/staff-runs.test.ts': 11,
  'test/peers/haproxy.peer.ts': 11,
  'test/billing/importing/import-subscribers.test.ts': 11,
  'test/app/lifetime.test.ts': 11,
  'test/peers/addresses.peer.ts': 10,
  'test/platform/storage/kept-connection.test.ts': 10,
  'test/platform/http/streaming.test.ts': 10,
  'test/billing/jobs/billing-races.test.ts': 10,
  'test/journeys/tariff-day.test.ts': 10,
  'test/interfaces/admin-queries.test.ts': 10,
  'test/interfaces/mobile-fuzz.test.ts': 10,
  'test/billing/webhooks/webhooks.test.ts': 10,
  'test/platform/postgres/server.test.ts': 9,
  'test/peers/ocserv.peer.ts': 9,
  'test/platform/http/hostile.test.ts': 9,
  'test/peers/radclient.peer.ts': 9,
  'test/journeys/states.test.ts': 8,
  'test/peers/console-services.peer.ts': 8,
  'test/peers/seen-from-outside.peer.ts': 8,
  'test/billing/messages/mailings.test.ts': 8,
  'test/journeys/fiscal-kill.test.ts': 8,
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
