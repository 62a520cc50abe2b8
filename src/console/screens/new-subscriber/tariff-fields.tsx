import { MultiSelect, Select, TextInput } from '@mantine/core'
import { useDoor } from '../../api/use-door.ts'
import { useFormat } from '../../format/format.ts'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { idsOf, type NewForm } from './form.ts'
import styles from './new-subscriber.module.css'
import { newTexts } from './texts.ts'

/** Of a dictionary that is shown as a whole. */
const listedMax = 1_000
const kindsMax = 200

type Priced = { readonly id?: unknown; readonly name?: unknown; readonly price?: unknown }

/** REST has prices as stored: units of which a ruble has ten thousand million. */
const rublesOf = (units: unknown): string => (Number(units) / 10_000_000_000).toFixed(2)

function useOptions(): (rows: readonly Priced[]) => { value: string; label: string }[] {
  const t = useTexts(newTexts)
  const format = useFormat()
  return (rows) =>
    rows.map(({ id, name, price }) => ({
      value: String(id),
      label: `${String(name)}, ${t.aMonth(format.money(rublesOf(price)))}`,
    }))
}

export function TariffFields({ form }: { readonly form: NewForm }) {
  const t = useTexts(newTexts)
  const optionsOf = useOptions()
  const query = { enabled: 'true', limit: listedMax, ordering: 'name' } as never
  const tariffs = useDoor('GET /rest_api/v2/Tarif/', { query }).data?.results ?? []
  const services = useDoor('GET /rest_api/v2/Usluga/', { query }).data?.results ?? []
  // Promise payments are services too, with ids below zero and one that is fixed; nobody begins with one.
  const offered = services.filter(({ id, system_type }) => Number(id) > 0 && system_type === null)
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
        <TextInput {...form.field('from')} label={t.from} description={t.fromSays} type="date" />
        <MultiSelect
          name="services"
          label={t.services}
          data={optionsOf(offered)}
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
  const t = useTexts(newTexts)
  const types = useDoor('GET /admin/dictionary/fin_types_crud/', { query: { per_page: kindsMax } })
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
          data={kinds.map((kind) => ({ value: String(kind.type_id), label: String(kind.op_name) }))}
          allowDeselect={false}
        />
      </div>
    </Panel>
  )
}
