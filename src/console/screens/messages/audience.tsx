import { NativeSelect, TextInput } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Sent } from '../../api/client.ts'
import { placeTexts } from '../../frame/places.ts'
import { type Filters, useAddressFilters } from '../../patterns/list/address.ts'
import { useTypedFilter } from '../../patterns/list/typed-filter.ts'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './messages.module.css'
import { composeTexts } from './texts.ts'

/** Marked ones, or everybody whom the list finds. */
export type Meant = Pick<NonNullable<Sent<'POST /admin/messages/mailing/'>['body']>, 'ids' | 'filter'>

/** The filters of the list of subscribers, which stand in the address of the form too. */
const names = ['show', 'q', 'tarif', 'organization', 'home', 'debt_days', 'debt_days_to'] as const

/** Whom the address means; null: nobody yet. Marked ones are too many for an address and come with its entry. */
export function useMeant(): Meant | null {
  const [address] = useAddressFilters()
  const ids = useRouterState({ select: ({ location }) => (location.state as { readonly ids?: number[] }).ids })
  const key = JSON.stringify([ids, ...names.map((name) => address[name])])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has all of it
  return useMemo(() => {
    if (ids) return { ids }
    const filter = Object.fromEntries(names.flatMap((name) => (address[name] ? [[name, address[name]]] : [])))
    return Object.keys(filter).length === 0 ? null : { filter }
  }, [key])
}

/** Who is meant, and the usual ones to choose from. */
export function Audience({ meant }: { readonly meant: Meant | null }) {
  const t = useTexts(composeTexts)
  return <Panel title={t.whom}>{meant?.ids ? <p>{t.marked(meant.ids.length)}</p> : <Choice meant={meant} />}</Panel>
}

function Choice({ meant }: { readonly meant: Meant | null }) {
  const t = useTexts(composeTexts)
  const places = useTexts(placeTexts)
  const [address, change] = useAddressFilters()
  const { q, show = '' } = address
  const [typed, setTyped] = useTypedFilter('debt_days', 0)
  const others = names.filter((name) => address[name] && !['show', 'q', 'debt_days'].includes(name))
  const data = [
    { value: '', label: t.choose },
    { value: 'all', label: t.everybody },
    ...(['debtors', 'blocked', 'promised', 'online'] as const).map((value) => ({ value, label: places[value] })),
  ]
  return (
    <div className={styles.fields}>
      <NativeSelect
        aria-label={t.whom}
        data={data}
        value={show}
        onChange={({ currentTarget }) => change(chosen(currentTarget.value))}
      />
      {show === 'debtors' && (
        <TextInput
          label={t.debtDays}
          inputMode="numeric"
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value.replace(/\D/g, '').replace(/^0+/, '').slice(0, 4))}
        />
      )}
      {q && <p>{t.found(q)}</p>}
      {others.length > 0 && <p>{t.further}</p>}
      {meant?.filter && (
        <Link to="/subscribers/" search={meant.filter as never}>
          {t.showList}
        </Link>
      )}
    </div>
  )
}

/** An age of debt is asked of debtors alone. */
const chosen = (show: string): Filters => ({
  show: show || undefined,
  ...(show !== 'debtors' && { debt_days: undefined, debt_days_to: undefined }),
})
