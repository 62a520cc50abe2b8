import { placeTexts } from '../../frame/places.ts'
import { useOpenedFrom } from '../../patterns/way-back.ts'
import { useTexts } from '../../texts/texts.ts'
import { OperationList } from './list.tsx'
import { operationsTexts } from './texts.ts'

const path = '/money/payments/'
const shown = ['channel', 'operator', 'payId', 'receipt', 'author'] as const

/** Financial documents alone, as accountants look at them. */
export default function PayLog() {
  const t = useTexts(operationsTexts)
  const { payLog } = useTexts(placeTexts)
  const from = useOpenedFrom(path)
  const isOfReport = from?.startsWith('/money/reports/') === true
  return (
    <OperationList
      name="pay-log"
      endpoint="GET /admin/reports/PayLog/"
      at={path}
      back={isOfReport ? { to: from, label: t.toReport, own: path } : undefined}
      files="/admin/reports/PayLog/"
      title={payLog}
      says={t.paySays}
      none={t.nonePaid}
      shown={shown}
    />
  )
}
