import { Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
import { Icon } from '../../patterns/icon.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Paper, shiftFacts, Totals } from './shift-panel.tsx'
import { cashTexts } from './texts.ts'
import { shiftsPath } from './use-desk.ts'

/** One shift, with its sums and its paper. */
export default function ShiftScreen() {
  const t = useTexts(cashTexts)
  const format = useFormat()
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string }
  const shift = useEndpoint('GET /admin/cash/shifts/{id}/', { path: { id: Number(id) } }).data?.shift
  const actions = (
    <>
      <Button component={Link} to={shiftsPath as never} variant="default" leftSection={<Icon name="back" />}>
        {t.shifts}
      </Button>
      {shift && <Paper id={shift.id} />}
    </>
  )
  return (
    <>
      <PageHead title={t.numbered(id)} says={shift?.staff_name} actions={actions} />
      {shift && (
        <Panel title={t.received}>
          <Facts facts={shiftFacts(shift, t, format)} />
          <Totals shift={shift} />
        </Panel>
      )}
    </>
  )
}
