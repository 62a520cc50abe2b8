import { Alert, Textarea } from '@mantine/core'
import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { useDoor } from '../../api/use-door.ts'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { outdatedByAccount } from '../accounts/use-account.ts'
import { moneyTexts } from '../subscriber/texts.ts'
import { hindranceOf, meaningOf } from './meaning.ts'
import { reversalTexts } from './texts.ts'

const detailDoor = 'GET /admin/Abonents/finops_detail/{op_id}/'

/** Reverses the operation of the address, beside whichever screen lists it: `…/reversal/<op_id>/`. */
export default function ReversalForm() {
  const t = useTexts(reversalTexts)
  const money = useTexts(moneyTexts)
  const format = useFormat()
  const navigate = useNavigate()
  const { op = '' } = useParams({ strict: false }) as { readonly op?: string }
  const { pathname } = useLocation()
  const backTo = pathname.slice(0, pathname.lastIndexOf('reversal/'))
  const path = { op_id: Number(op) }
  const { data } = useDoor(detailDoor, { path })
  const form = useSideForm({
    initial: { reason: '' },
    check: ({ reason }) => (reason.trim() === '' ? { reason: t.reasonNeeded } : {}),
    send: ({ reason }, key) => ask('POST /admin/Abonents/finops_reverse/{op_id}/', { path, body: { reason }, key }),
    outdated: [detailDoor, ...outdatedByAccount],
    onDone: () => {
      told.done(t.done)
      void navigate({ to: backTo, search: true as never })
    },
  })
  const hindrance = data && hindranceOf(data, t)
  return (
    <SideForm
      title={t.title(op)}
      backTo={backTo}
      deed={t.deed}
      isDangerous
      isOff={!data || hindrance !== null}
      form={form}
    >
      {data && (
        <Facts
          facts={[
            [money.date, format.moment(data.operation.op_date)],
            [money.type, data.operation.op_type_name],
            [money.amount, format.signed(data.operation.amount)],
            [money.descr, data.operation.descr],
            [money.author, data.operation.owner_name],
          ]}
        />
      )}
      {data && hindrance === null && <p>{[t.says, ...meaningOf(data, t)].join(' ')}</p>}
      {hindrance && <Alert color="yellow">{hindrance}</Alert>}
      {!hindrance && (
        <Textarea
          {...form.field('reason')}
          label={t.reason}
          description={t.reasonSays}
          autosize
          minRows={2}
          maxLength={1000}
          data-autofocus
        />
      )}
    </SideForm>
  )
}
