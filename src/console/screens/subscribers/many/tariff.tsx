import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { ask, askCounted, type Sent } from '../../../api/client.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { isNegative, useFormat } from '../../../format/format.ts'
import { useTexts } from '../../../texts/texts.ts'
import { OfferedSelect } from '../../subscriber/services/offered-select.tsx'
import { type DialogProps, ManyDialog } from './dialog.tsx'
import { manyTexts } from './texts.ts'

const endpoint = 'POST /admin/Abonents/tariff_many/'
type Order = NonNullable<Sent<typeof endpoint>['body']>
type When = Order['when']

/** Another tariff for many, at once or from the next month. */
export function TariffDialog({ meant, ...props }: DialogProps) {
  const t = useTexts(manyTexts)
  const format = useFormat()
  const [tarif, setTarif] = useState<string | null>(null)
  const [when, setWhen] = useState<When>('next_month')
  const offered = useEndpoint('GET /admin/Abonents/create/', {}).data?.tariffs ?? []
  return (
    <ManyDialog
      {...props}
      title={t.tariffTitle}
      action={t.changeTariff}
      order={tarif === null ? null : ({ tarif: Number(tarif), when, ...meant } as Order)}
      preview={(body, counting) => askCounted('POST /admin/Abonents/tariff_many/preview/', body, counting)}
      begin={(body, key) => ask(endpoint, { body, key })}
      willChange={t.willChange}
      facts={({ from, charged, given_back: back, monthly, closing }) => [
        from !== null && t.begins(format.plainDay(from)),
        Number(charged) > 0 && t.charged(format.money(charged)),
        Number(back) > 0 && t.givenBack(format.money(back)),
        t.monthly(`${isNegative(monthly) ? '' : '+'}${format.money(monthly)}`),
        closing > 0 && t.closing(closing),
      ]}
    >
      <Stack gap="sm" mb="sm">
        <OfferedSelect name="tarif" label={t.newTariff} value={tarif} onChange={setTarif} offered={offered} />
        <Radio.Group label={t.when} value={when} onChange={(value) => setWhen(value as When)}>
          <Stack gap="xs" mt="xs">
            <Radio value="next_month" label={t.nextMonth} />
            <Radio value="now" label={t.now} />
          </Stack>
        </Radio.Group>
      </Stack>
    </ManyDialog>
  )
}
