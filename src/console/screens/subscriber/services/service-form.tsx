import { TextInput } from '@mantine/core'
import { ask } from '../../../api/client.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useFormat } from '../../../format/format.ts'
import { readPrice } from '../../../format/money.ts'
import { isDate } from '../../../format/typed-dates.ts'
import { DateField } from '../../../patterns/form/date-field.tsx'
import { SideForm } from '../../../patterns/form/side-form.tsx'
import { useSideForm } from '../../../patterns/form/use-side-form.ts'
import { useGo } from '../../../patterns/late.ts'
import { told } from '../../../patterns/told.ts'
import { useTexts } from '../../../texts/texts.ts'
import { cardTexts } from '../texts.ts'
import { outdatedByAction, useSubscriber } from '../use-subscriber.ts'
import { ChargeLines } from './bill.tsx'
import { OfferedSelect } from './offered-select.tsx'
import styles from './services.module.css'
import { servicesTexts } from './texts.ts'

type Values = { usluga: string | null; countt: string; summ: string; end_time: string }
const nothing: Values = { usluga: null, countt: '1', summ: '', end_time: '' }

const isCount = (typed: string): boolean => /^\d{1,4}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= 1000

/** A service, whose price and charges are seen before it is given. */
export default function ServiceForm() {
  const t = useTexts(servicesTexts)
  const card = useTexts(cardTexts)
  const navigate = useGo()
  const { id } = useSubscriber().subscriber
  const backTo = `/subscribers/${id}/services/`
  const form = useSideForm({
    initial: nothing,
    dates: { end_time: 'day' },
    check: ({ usluga, countt, summ }) => ({
      ...(usluga === null && { usluga: t.choose }),
      ...(!isCount(countt) && { countt: t.countWrong }),
      ...(summ !== '' && readPrice(summ) === null && { summ: t.sumWrong }),
    }),
    send: (values, key) =>
      ask('POST /admin/Abonents/users_usluga_crud/', {
        body: { abonent_id: id, usluga_id: Number(values.usluga), ...termsOf(values) },
        key,
      }),
    outdated: outdatedByAction,
    onDone: ({ name }) => {
      told.done(t.given(name))
      void navigate({ to: backTo })
    },
  })
  const offered = useEndpoint('GET /admin/Abonents/services/{id}/', { path: { id } }).data?.offered ?? []
  return (
    <SideForm title={card.giveService} backTo={backTo} action={t.give} form={form}>
      <OfferedSelect {...form.choice('usluga')} label={t.service} offered={offered} />
      <Offer id={id} values={form.values} />
      <TextInput {...form.field('countt')} label={t.count} inputMode="numeric" autoComplete="off" />
      <TextInput {...form.field('summ')} label={t.own} description={t.ownSays} inputMode="decimal" autoComplete="off" />
      <DateField {...form.date('end_time')} label={t.end} description={t.endSays} />
    </SideForm>
  )
}

/** What was left empty is not sent, nor a day that is being typed. */
const termsOf = ({ countt, summ, end_time }: Values) => {
  const own = readPrice(summ)
  return { countt: Number(countt), ...(own !== null && { summ: own }), ...(isDate('day', end_time) && { end_time }) }
}

function Offer({ id, values }: { readonly id: number; readonly values: Values }) {
  const t = useTexts(servicesTexts)
  const format = useFormat()
  const { usluga, countt } = values
  const { data } = useEndpoint(
    'GET /admin/Abonents/service_offer/{id}/',
    { path: { id }, query: { usluga_id: Number(usluga), ...termsOf(values) } },
    { isEnabled: usluga !== null && isCount(countt) },
  )
  if (!data) return null
  const { month, present, charges, lasts_through } = data
  return (
    <div className={styles.offer} role="status">
      <strong>{t.costs(format.money(month))}</strong>
      {present > 0 && <p className={styles.warning}>{t.has(present)}</p>}
      {charges.length === 0 && <p>{t.free}</p>}
      <ChargeLines charges={charges} lasts={lasts_through} />
    </div>
  )
}
