import { verifyLedger } from '../../billing/jobs/ledger/verification.ts'
import { summaryOf } from '../../billing/jobs/ledger-check.ts'
import { defineCommand } from './command.ts'
import { withMigrated } from './database.ts'

export default defineCommand({
  about:
    'Proves the ledger: balances, chains, snapshots, reversals, keys. Changes nothing; may run beside the program.',
  details: [
    'Every balance is recomputed from the operations, every chain from its first hash to its head, every snapshot from the',
    'one before. Of each account the first broken record is named: what is stored and what it should be; exit status 1.',
  ].join('\n'),
  options: {},
  async run(_, context) {
    return await withMigrated(context, async (client) => {
      const found = await verifyLedger(client)
      for (const { sentence } of found.faults) context.print(sentence)
      if (found.broken > found.faults.length) context.print(`and ${found.broken - found.faults.length} more accounts`)
      if (found.unsettled > 0)
        context.print(
          `${found.unsettled} accounts have blocks that disagree with their debt; process_blocks repairs that.`,
        )
      context.print(summaryOf(found))
      return found.broken === 0 ? 0 : 1
    })
  },
})
