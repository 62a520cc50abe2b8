import { Button } from '@mantine/core'
import { useMay } from '../../../api/me.tsx'
import { useTold } from '../../../patterns/use-told.ts'
import { useTexts } from '../../../texts/texts.ts'
import { cardTexts } from '../texts.ts'
import { outdatedByAction } from '../use-subscriber.ts'

/** Takes the planned tariff back at once: it can be planned again. */
export function DropPlan({ id }: { readonly id: number }) {
  const t = useTexts(cardTexts)
  const may = useMay()
  const drop = useTold('POST /admin/Abonents/tariff_cancel/{id}/', outdatedByAction)
  if (!may('change')) return null
  const run = () => drop.run({ path: { id } }, t.dropped)
  return (
    <Button variant="subtle" size="compact-sm" loading={drop.isPending} onClick={run}>
      {t.dropPlan}
    </Button>
  )
}
