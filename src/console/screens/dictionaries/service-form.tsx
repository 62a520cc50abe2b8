import { Group, Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Answer, ask } from '../../api/client.ts'
import { forget, useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { readPrice } from '../../format/money.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { Archive } from './archive.tsx'
import { RemoveRecord } from './remove-record.tsx'
import { servicesEndpoint, servicesPath } from './services.tsx'
import { NameField } from './sold.tsx'
import { dictionaryTexts, serviceTexts } from './texts.ts'
import { orNull, textOf } from './values.ts'

const oneEndpoint = 'GET /admin/dictionary/uslugas_crud/{id}/'
const changeEndpoint = 'POST /admin/dictionary/uslugas_crud/{id}/'
const outdated = [servicesEndpoint, oneEndpoint, 'GET /admin/Abonents/services/{id}/'] as const
type Service = Answer<typeof oneEndpoint>

/** A new service, or one that is there, beside the list. */
export default function ServiceForm() {
  const { id } = useParams({ strict: false }) as { id?: string }
  const { data, error } = useEndpoint(oneEndpoint, { path: { id: Number(id ?? 0) } }, { isEnabled: id !== undefined })
  if (error && !data) throw error
  if (id === undefined) return <Fields service={null} />
  return data ? <Fields key={data.id} service={data} /> : null
}

/** What a month of a service costs stands in `summa` where that is not empty, else in `price`. */
const hasSum = (service: Service | null): boolean => service !== null && service.summa !== null && !service.is_promise

const valuesOf = (service: Service | null, typed: (text: string) => string) => ({
  name: textOf(service?.name),
  price: typed(textOf(hasSum(service) ? service?.summa : service?.price)),
  summa: service?.is_promise ? typed(textOf(service.summa)) : '',
  end_count_days: textOf(service?.end_count_days),
  is_public: service?.is_public === true,
  description: textOf(service?.description),
})
type FormValues = ReturnType<typeof valuesOf>

/** Of a promise payment the amount lent and the term; of other services the price alone. */
function bodyOf(service: Service | null, { name, price, summa, end_count_days: days, ...values }: FormValues) {
  const common = { name: name.trim(), description: orNull(values.description) }
  const amount = readPrice(price) ?? price
  if (service?.is_promise)
    return {
      ...common,
      price: amount,
      summa: summa.trim() === '' ? null : (readPrice(summa) ?? summa),
      end_count_days: days.trim() === '' ? null : Number(days),
    }
  return { ...common, is_public: values.is_public, [hasSum(service) ? 'summa' : 'price']: amount }
}

function useServiceForm(service: Service | null) {
  const t = useTexts(serviceTexts)
  const common = useTexts(dictionaryTexts)
  const { typed } = useFormat()
  const navigate = useGo()
  return useSideForm({
    initial: valuesOf(service, typed),
    check: ({ name, price, summa, end_count_days }) => ({
      ...(name.trim() === '' && { name: common.nameNeeded }),
      ...(readPrice(price) === null && { price: common.priceWrong }),
      ...(summa.trim() !== '' && readPrice(summa) === null && { summa: common.priceWrong }),
      ...(!/^\d{0,4}$/.test(end_count_days.trim()) && { end_count_days: t.daysWrong }),
    }),
    send: (values) => {
      const body = bodyOf(service, values)
      return service === null
        ? ask('POST /admin/dictionary/uslugas_crud/', { body })
        : ask(changeEndpoint, { path: { id: service.id as number }, body })
    },
    outdated,
    onDone: ({ name }) => {
      told.done(service === null ? t.added(String(name)) : common.saved)
      void navigate({ to: servicesPath, search: true as never })
    },
  })
}

function Fields({ service }: { readonly service: Service | null }) {
  const t = useTexts(serviceTexts)
  const common = useTexts(dictionaryTexts)
  const form = useServiceForm(service)
  const title = service === null ? t.add : t.edit(String(service.name))
  const isPromise = service?.is_promise === true
  return (
    <SideForm title={title} backTo={servicesPath} action={service === null ? common.create : common.save} form={form}>
      <NameField field={form.field('name')} />
      <TextInput
        {...form.field('price')}
        label={isPromise ? t.feeOfDay : common.priceField}
        {...(service !== null && !isPromise && { description: t.priceSays })}
        inputMode="decimal"
        autoComplete="off"
        required
      />
      {isPromise ? (
        <Group grow align="start">
          <TextInput {...form.field('summa')} label={t.sum} description={t.sumSays} inputMode="decimal" />
          <TextInput
            {...form.field('end_count_days')}
            label={t.daysField}
            description={t.daysSays}
            inputMode="numeric"
          />
        </Group>
      ) : (
        <Switch
          name="is_public"
          label={t.public}
          checked={form.values.is_public}
          onChange={({ currentTarget }) => form.set({ is_public: currentTarget.checked })}
        />
      )}
      <Textarea {...form.field('description')} label={t.description} autosize minRows={2} />
      {service !== null && !isPromise && <Ends service={service} />}
    </SideForm>
  )
}

/** One that nobody uses goes; any other can be archived. */
function Ends({ service }: { readonly service: Service }) {
  const t = useTexts(serviceTexts)
  const navigate = useGo()
  const queries = useQueryClient()
  const id = service.id as number
  const leave = () => {
    void forget(queries, [servicesEndpoint])
    void navigate({ to: servicesPath, search: true as never })
  }
  return (
    <Group>
      <Archive
        isInUse={service.enabled === true}
        change={(body) => ask(changeEndpoint, { path: { id }, body })}
        outdated={outdated}
        backTo={servicesPath}
        says={{ archived: t.archivedNow, restored: t.restoredNow }}
      />
      <RemoveRecord
        name={String(service.name)}
        remove={() => ask('DELETE /admin/dictionary/uslugas_crud/{id}/', { path: { id } })}
        onDone={leave}
      />
    </Group>
  )
}
