import { ask, askCounted, type Sent } from '../../../api/client.ts'
import { useFormat } from '../../../format/format.ts'
import { useTexts } from '../../../texts/texts.ts'
import { type DialogProps, ManyDialog } from './dialog.tsx'
import { manyTexts } from './texts.ts'

const endpoint = 'POST /admin/Abonents/promise_pay_many/'
type Order = NonNullable<Sent<typeof endpoint>['body']>

/** Promise payments for many, each of the usual sum and term. */
export function PromiseDialog({ meant, ...props }: DialogProps) {
  const t = useTexts(manyTexts)
  const format = useFormat()
  return (
    <ManyDialog
      {...props}
      title={t.promiseTitle}
      action={t.givePromise}
      order={meant as Order}
      preview={(body, counting) => askCounted('POST /admin/Abonents/promise_pay_many/preview/', body, counting)}
      begin={(body, key) => ask(endpoint, { body, key })}
      willChange={t.willPromise}
      facts={({ changing, limits, fees }) => [
        changing > 0 && t.promised(format.money(limits)),
        Number(fees) > 0 && t.fees(format.money(fees)),
      ]}
    />
  )
}
