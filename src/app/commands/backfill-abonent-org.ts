import { abonentBackfill, runBackfill } from './backfill.ts'
import { defineCommand } from './command.ts'

export default defineCommand({
  about:
    'Gives subscribers without an organization that of their folder, else the default one. Only reports without --apply.',
  options: { apply: { type: 'boolean', about: 'Write it' } },
  run: ({ apply }, context) => runBackfill(context, abonentBackfill, apply),
})
