import { rubles } from '../../../src/domain/money.ts'
import type { Metrics } from '../../../src/platform/metrics/metrics.ts'

/** Gives every metric a value, so that every series that can be exported is. */
export function fillEveryMetric(metrics: Metrics): void {
  metrics.authLog.source = () => ({ rows: 3, flooded: 2, lost: 1 })
  metrics.radius.source = () => ({
    counts: [
      { port: 'auth', nas: 'bras', result: 'accept', fault: null, count: 5 },
      { port: 'auth', nas: null, result: 'dropped', fault: 'unknownNas', count: 2 },
    ],
    access: { bounds: [{ seconds: 0.001, count: 4 }], sum: 0.5, count: 5 },
  })
  metrics.accounting.counts.source = () => ({ interim: 7, stored: 8 })
  metrics.accounting.spool.source = () => 100
  metrics.sessions.live.source = () => 3
  metrics.access.entries.source = () => 4
  metrics.actors.counts.source = () => [{ kind: 'account', live: 10, waiting: 2 }]
  metrics.actors.turn('account', 0.01, true)
  metrics.commits.batch({ turns: 12, seconds: 0.01, ok: true })
  metrics.commits.outcome('committed')
  metrics.commits.outcome('locked')
  metrics.money.state.source = async () => ({ promises: 3, openOrders: 2, problems: 1 })
  metrics.money.blocks.source = async () => ({ negbal: 9, admin: 1, own: 2, sys: 0 })
  metrics.money.moved('receipt', rubles(250))
  metrics.money.moved('charge', rubles(-600))
  metrics.money.payment('gwa', 'credited')
  metrics.money.payment('gwb', 'forged')
  metrics.coa.answered('disconnect', 'ack', 0.01)
  metrics.nas.health.source = () => ({ ok: 3, silent: 1 })
  metrics.nas.wrongClocks.source = () => 1
  metrics.coa.unanswered.source = () => [{ nas: 'ocserv', disconnects: 21 }]
  metrics.outbox.pending.source = async () => 6
  metrics.standby.source = () => 1
  metrics.node.source = () => ({ isFenced: false, others: 2, lagSeconds: 0.004, foreignCommits: 30 })
  metrics.doctor.findings.source = () => ({ warn: 2, fail: 1 })
  metrics.refunds.queue.source = async () => ({ stages: { asked: 1, failed: 2 }, oldestSeconds: 80 })
  metrics.fiscal.queue.source = async () => ({ stages: { waiting: 2, refused: 1 }, oldestSeconds: 90 })
  metrics.fiscal.call('send', 'accepted', 0.01)
  metrics.messages.result('sms', 'sent')
  metrics.messages.waiting.source = async () => 5
  metrics.webhooks.attempt('delivered')
  metrics.webhooks.state.source = async () => ({ waiting: 3, oldestSeconds: 40, endpoints: { on: 2, gone: 1 } })
  metrics.http.request('GET', '/rest_api/v2/:model', 200, 0.01)
  metrics.passwords.tried('portal', 'wrong')
  metrics.passwords.locked.source = () => 1
  metrics.live.sockets.source = () => ({ admin: 2 })
  metrics.live.frames('sent')
  metrics.live.cut('slow')
  metrics.database.source = () => ({ up: true, used: 1, idle: 2, waiting: 3 })
  metrics.ledger.source = () => ({ broken: 0, at: new Date(1_795_000_000_000) })
  metrics.backup.source = async () => new Date(1_763_000_000_000)
  metrics.reports.source = () => ({ wrong: 0 })
  metrics.jobs.run('process_blocks', 0.01, true)
}

/** The exported series with their values: `name{label="value"}` → 1. */
export async function seriesOf(metrics: Metrics): Promise<Map<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}
