import { ActionIcon, Select } from '@mantine/core'
import { useMe } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { monthAfter, wholeMonth } from '../../format/days.ts'
import { useFormat } from '../../format/format.ts'
import { Icon } from '../../patterns/icon.tsx'
import type { FilterChange, Filters } from '../../patterns/list/address.ts'
import { Period } from '../../patterns/list/period.tsx'
import { sources, sourceTexts } from '../../texts/sources.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { Choice } from '../operations/list.tsx'
import { type Movements, movementsEndpoint } from './movements.ts'
import styles from './reports.module.css'
import { reportTexts } from './texts.ts'

type ChoicesProps = { readonly asked: Filters; readonly onChange: (change: FilterChange) => void }

/** The period, the columns and the filters of a report on money. */
export function Choices({ asked, onChange }: ChoicesProps) {
  const t = useTexts(reportTexts)
  const columns = (['type', 'month', 'channel', 'cashier', 'tariff', 'organization'] as const).filter(
    (split) => split !== asked.by,
  )
  return (
    <div className={styles.choices}>
      <MonthChoice asked={asked} onChange={onChange} />
      <Period filters={['date_from', 'date_to']} address={asked} onChange={onChange} />
      <Select
        aria-label={t.columns}
        placeholder={t.noColumns}
        data={columns.map((value) => ({ value, label: t.across(t[value].toLowerCase()) }))}
        value={asked.across ?? null}
        onChange={(across) => onChange({ across: across ?? undefined })}
        clearable
      />
      <FilterChoices asked={asked} onChange={onChange} />
    </div>
  )
}

/** Goes from one month to the next; of any other period it says nothing but its first month. */
function MonthChoice({ asked, onChange }: ChoicesProps) {
  const t = useTexts(reportTexts)
  const format = useFormat()
  const monthOf = ({ date_from = asked.date_from ?? '' }: Filters) => date_from.slice(0, 7)
  // A second press may come before the screen has followed the first.
  const go = (months: number) =>
    onChange((now) => {
      const { from, to } = wholeMonth(monthAfter(monthOf(now), months))
      return { date_from: from, date_to: to }
    })
  return (
    <div className={styles.month}>
      <ActionIcon variant="default" size="lg" aria-label={t.monthBefore} onClick={() => go(-1)}>
        <Icon name="back" size={16} />
      </ActionIcon>
      <span className={styles.monthName}>{format.month(monthOf(asked))}</span>
      <ActionIcon variant="default" size="lg" aria-label={t.monthAfter} onClick={() => go(1)}>
        <Icon name="forward" size={16} />
      </ActionIcon>
    </div>
  )
}

function FilterChoices({ asked, onChange }: ChoicesProps) {
  const words = useProgramWords()
  const t = useTexts(reportTexts)
  const sourceNames = useTexts(sourceTexts)
  const format = useFormat()
  const { organizations } = useMe()
  const types = useEndpoint('GET /admin/dictionary/fin_types_crud/', { query: { per_page: 200 } }).data?.items ?? []
  const { date_from, date_to } = asked
  // Those who took money and what was paid for then, which may not be there any more.
  const cashiers = useEndpoint(movementsEndpoint, { query: { by: 'cashier', date_from, date_to } }).data?.items ?? []
  const tariffs = useEndpoint(movementsEndpoint, { query: { by: 'tariff', date_from, date_to } }).data?.items ?? []
  const seen = (rows: Movements['items'], none: string) =>
    rows.map(({ key, name }) => ({ value: key, label: key === '0' ? none : (name ?? format.numbered(key)) }))
  const named = (rows: readonly { readonly id: number; readonly name: string | null }[]) =>
    rows.map(({ id, name }) => ({ value: String(id), label: name ?? format.numbered(id) }))
  const lists = [
    ['op_type', t.allTypes, types.map(({ type_id, op_name }) => ({ value: String(type_id), label: words(op_name) }))],
    ['source', t.allChannels, sources.map((source) => ({ value: source, label: sourceNames[source] }))],
    ['cashier', t.allCashiers, seen(cashiers, t.automatic)],
    ['tarif', t.allTariffs, seen(tariffs, t.noTariff)],
    ...(organizations.length > 1 ? [['organization_id', t.allOrganizations, named(organizations)] as const] : []),
  ] as const
  return lists.map(([name, label, data]) => (
    <Choice
      key={name}
      label={label}
      value={asked[name]}
      data={[...data]}
      onChange={(value) => onChange({ [name]: value })}
    />
  ))
}
