import { MultiSelect, Select, TextInput } from '@mantine/core'
import type { Answer } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { DateField } from '../../patterns/form/date-field.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { NoShift } from '../cash/no-shift.tsx'
import { cashDesk } from '../cash/use-desk.ts'
import { idsOf, type NewForm } from './form.ts'
import styles from './new-subscriber.module.css'
import { newTexts } from './texts.ts'

const kindsMax = 200

type Offer = Answer<'GET /admin/Abonents/create/'>
type Priced = Offer['tariffs'][number]

function useOptions(): (rows: readonly Priced[]) => { value: string; label: string }[] {
  const t = useTexts(newTexts)
  const format = useFormat()
  return (rows) =>
    rows.map(({ id, name, price }) => ({ value: String(id), label: `${name}, ${t.aMonth(format.money(price))}` }))
}

type TariffFieldsProps = { readonly form: NewForm } & Pick<Offer, 'tariffs' | 'services'>

export function TariffFields({ form, tariffs, services }: TariffFieldsProps) {
  const t = useTexts(newTexts)
  const optionsOf = useOptions()
  return (
    <Panel title={t.tariffPart}>
      <div className={styles.fields}>
        <Select
          {...form.choice('tarif')}
          label={t.tariff}
          data={optionsOf(tariffs)}
          searchable
          clearable
          className={styles.wide}
        />
        <DateField {...form.date('from')} label={t.from} description={t.fromSays} />
        <MultiSelect
          name="services"
          label={t.services}
          data={optionsOf(services)}
          value={idsOf(form.values.services).map(String)}
          onChange={(ids) => form.set({ services: ids.join() })}
          error={form.field('services').error}
          searchable
        />
      </div>
    </Panel>
  )
}

export function PaymentFields({ form }: { readonly form: NewForm }) {
  const words = useProgramWords()
  const t = useTexts(newTexts)
  const types = useEndpoint('GET /admin/dictionary/fin_types_crud/', { query: { per_page: kindsMax } })
  const kinds = (types.data?.items ?? []).filter(({ op_sign, enabled }) => op_sign === 1 && enabled)
  return (
    <Panel title={t.payment}>
      <div className={styles.fields}>
        <TextInput
          {...form.field('payment.amount')}
          label={t.sum}
          description={t.sumSays}
          inputMode="decimal"
          autoComplete="off"
        />
        <Select
          {...form.choice('payment.op_type_id')}
          label={t.kind}
          data={kinds.map((kind) => ({ value: String(kind.type_id), label: words(String(kind.op_name)) }))}
        />
        {form.values['payment.amount'] !== '' && form.values['payment.op_type_id'] === cashDesk && <NoShift />}
      </div>
    </Panel>
  )
}
