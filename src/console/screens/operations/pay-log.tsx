import { placeTexts } from '../../frame/places.ts'
import { useTexts } from '../../texts/texts.ts'
import { OperationList } from './list.tsx'
import { operationsTexts } from './texts.ts'

const shown = ['channel', 'operator', 'payId', 'receipt', 'author'] as const

/** Financial documents alone, as accountants look at them. */
export default function PayLog() {
  const t = useTexts(operationsTexts)
  const { payLog } = useTexts(placeTexts)
  return (
    <OperationList
      name="pay-log"
      endpoint="GET /admin/reports/PayLog/"
      at="/money/payments/"
      files="/admin/reports/PayLog/"
      title={payLog}
      says={t.paySays}
      none={t.nonePaid}
      shown={shown}
    />
  )
}
