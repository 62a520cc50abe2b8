import { Button } from '@mantine/core'
import { useMay } from '../../../api/me.tsx'
import { useSend } from '../../../api/use-door.ts'
import { told } from '../../../patterns/told.ts'
import { useSayRefusal } from '../../../texts/refusals.ts'
import { useTexts } from '../../../texts/texts.ts'
import { cardTexts } from '../texts.ts'
import { outdatedByDeed } from '../use-subscriber.ts'

/** Takes the planned tariff back at once: it can be planned again. */
export function DropPlan({ id }: { readonly id: number }) {
  const t = useTexts(cardTexts)
  const may = useMay()
  const say = useSayRefusal()
  const drop = useSend('POST /admin/Abonents/tariff_cancel/{id}/', outdatedByDeed)
  if (!may('change')) return null
  const run = () =>
    drop.mutate(
      { path: { id } },
      { onSuccess: () => told.done(t.dropped), onError: (error) => told.failed(say(error)) },
    )
  return (
    <Button variant="subtle" size="compact-sm" loading={drop.isPending} onClick={run}>
      {t.dropPlan}
    </Button>
  )
}
