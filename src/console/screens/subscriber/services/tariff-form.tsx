import { Alert } from '@mantine/core'
import { type Answer, ask, Refused } from '../../../api/client.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { isNegative, useFormat } from '../../../format/format.ts'
import { SideForm } from '../../../patterns/form/side-form.tsx'
import { useSideForm } from '../../../patterns/form/use-side-form.ts'
import { useGo } from '../../../patterns/late.ts'
import { told } from '../../../patterns/told.ts'
import { useSayRefusal } from '../../../texts/refusals.ts'
import { useProgramWords } from '../../../texts/use-program-words.ts'
import { useTexts } from '../../../texts/texts.ts'
import { cardTexts } from '../texts.ts'
import { outdatedByAction, useSubscriber } from '../use-subscriber.ts'
import { ChargeLines } from './bill.tsx'
import { OfferedSelect } from './offered-select.tsx'
import styles from './services.module.css'
import { servicesTexts } from './texts.ts'

const endpoint = 'GET /admin/Abonents/tariff/{id}/'
type Way = NonNullable<Answer<typeof endpoint>['now']>

/** Another tariff, at once or from the next month, with the bill of either before anything is done. */
export default function TariffForm() {
  const t = useTexts(servicesTexts)
  const card = useTexts(cardTexts)
  const format = useFormat()
  const say = useSayRefusal()
  const navigate = useGo()
  const { id } = useSubscriber().subscriber
  const backTo = `/subscribers/${id}/services/`
  const form = useSideForm({
    initial: { tarif: null as string | null, when: 'now' as 'now' | 'next_month' },
    check: ({ tarif }) => (tarif === null ? { tarif: t.choose } : {}),
    send: ({ tarif, when }, key) =>
      ask('POST /admin/Abonents/tariff/{id}/', { path: { id }, body: { tarif: Number(tarif), when }, key }),
    outdated: outdatedByAction,
    onDone: ({ tarif, planned }) => {
      told.done(planned ? t.planned(planned.name, format.day(planned.from)) : t.changed(tarif?.name ?? ''))
      void navigate({ to: backTo })
    },
  })
  const { tarif } = form.values
  const known = useEndpoint(endpoint, { path: { id } }).data
  const choice = useEndpoint(
    endpoint,
    { path: { id }, query: { tarif: Number(tarif) } },
    { isEnabled: tarif !== null },
  ).data
  const offered = (known?.offered ?? []).filter((one) => one.id !== known?.tarif?.id)
  return (
    <SideForm title={card.changeTariff} backTo={backTo} action={t.change} form={form}>
      {known?.tarif && <p>{t.current(known.tarif.name, format.money(known.tarif.price))}</p>}
      <OfferedSelect {...form.choice('tarif')} label={t.newTariff} offered={offered} />
      {choice?.refusal && <Alert color="yellow">{say(new Refused(400, choice.refusal, null))}</Alert>}
      {choice?.now && choice.later && (
        <fieldset className={styles.ways}>
          <legend>{t.when}</legend>
          <WayChoice form={form} value="now" title={t.now} way={choice.now} />
          <WayChoice
            form={form}
            value="next_month"
            title={t.fromDay(format.plainDay(choice.later.from))}
            way={choice.later}
          />
        </fieldset>
      )}
      {choice && known?.planned && (
        <p className={styles.quiet}>{t.replaces(known.planned.name, format.day(known.planned.from))}</p>
      )}
    </SideForm>
  )
}

type When = { tarif: string | null; when: 'now' | 'next_month' }
type Choice = {
  readonly form: { readonly values: When; readonly set: (change: Partial<When>) => void }
  readonly value: When['when']
  readonly title: string
  readonly way: Way
}

function WayChoice({ form, value, title, way }: Choice) {
  const t = useTexts(servicesTexts)
  const format = useFormat()
  const words = useProgramWords()
  const { operations, balance, access, charges, lasts_through } = way
  const isClosed = useSubscriber().subscriber.blocks.includes('debt')
  const size = (amount: string) => format.money(amount.replace('-', ''))
  return (
    <div className={styles.way}>
      <label>
        <input
          type="radio"
          name="when"
          value={value}
          checked={form.values.when === value}
          onChange={() => form.set({ when: value })}
        />
        {title}
      </label>
      {operations.length === 0 && <p>{t.nothingNow}</p>}
      {operations.map(({ description, amount }) => (
        <p key={description}>
          <strong>{isNegative(amount) ? t.charged(size(amount)) : t.givenBack(size(amount))}</strong>{' '}
          <span className={styles.quiet}>{words(description)}</span>
        </p>
      ))}
      <p>{t.balanceAfter(format.money(balance))}</p>
      {access === 'closed' && !isClosed && <p className={styles.warning}>{t.willClose}</p>}
      <ChargeLines charges={charges.filter(({ kind }) => kind === 'tariff')} lasts={lasts_through} />
    </div>
  )
}
