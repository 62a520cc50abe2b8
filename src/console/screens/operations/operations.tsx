import { placeTexts } from '../../frame/places.ts'
import { useTexts } from '../../texts/texts.ts'
import { OperationList } from './list.tsx'
import { operationsTexts } from './texts.ts'

const shown = ['contract', 'channel', 'descr', 'author'] as const

/** Every movement of money. */
export default function Operations() {
  const t = useTexts(operationsTexts)
  const { operations } = useTexts(placeTexts)
  return (
    <OperationList
      name="operations"
      endpoint="GET /admin/Abonents/finops_json/"
      at="/money/operations/"
      files="/admin/Abonents/download_operations/"
      title={operations}
      none={t.none}
      shown={shown}
    />
  )
}
