import { useParams } from '@tanstack/react-router'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
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
  return (
    <>
      <PageHead
        title={t.numbered(id)}
        back={{ to: shiftsPath, label: t.shifts }}
        says={shift?.staff_name}
        actions={shift && <Paper id={shift.id} />}
      />
      {shift && (
        <Panel title={t.received}>
          <Facts facts={shiftFacts(shift, t, format)} />
          <Totals shift={shift} />
        </Panel>
      )}
    </>
  )
}
