import { finopsBackfill, runBackfill } from './backfill.ts'
import { defineCommand } from './command.ts'

export default defineCommand({
  about:
    'Gives finance operations without an organization that of their subscriber or account. Only reports without --apply.',
  options: { apply: { type: 'boolean', about: 'Write it' } },
  run: ({ apply }, context) => runBackfill(context, finopsBackfill, apply),
})
