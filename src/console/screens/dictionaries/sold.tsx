import { Button, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useCallback, useMemo } from 'react'
import { useMayChangeShared, useMe } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import type { Chip } from '../../patterns/list/chips.tsx'
import type { Column } from '../../patterns/list/columns.ts'
import type { SideFormState } from '../../patterns/form/use-side-form.ts'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { dictionaryTexts } from './texts.ts'

/** A tariff or a service: who may have it, and whose subscribers do. */
type Sold = {
  readonly id: number
  readonly name: string
  readonly enabled: boolean
  readonly is_public: boolean
  readonly subscribers: number
  readonly organizations: readonly { readonly id: number; readonly subscribers: number }[]
}

type SoldTexts = { readonly add: string; readonly none: string; readonly noneSays: string }

/** What the lists of tariffs and services have alike: what is added and opened, and the chips, with `own` ones. */
export function useSoldList(path: string, t: SoldTexts, own: readonly Chip[] = []) {
  const common = useTexts(dictionaryTexts)
  const mayChange = useMayChangeShared()
  const add = mayChange && (
    <Button component={Link} to={`${path}new/`}>
      {t.add}
    </Button>
  )
  const chips = [
    { value: '', label: common.current },
    { value: 'archived', label: common.archived },
    ...own,
    { value: 'all', label: common.all },
  ]
  const list = {
    filters: ['show', 'q'] as const,
    rowKey: ({ id }: Sold) => id,
    rowName: ({ name }: Sold) => name,
    rowTo: ({ id }: Sold) => (mayChange ? `${path}${id}/` : null),
    chips: { parameter: 'show', list: chips },
    empty: { title: t.none, says: t.noneSays, action: add },
  }
  return { add, list }
}

type Told<Row> = {
  /** The decimal text of the endpoint. */
  readonly price: (row: Row) => string
  readonly period: (row: Row) => string
  readonly more?: readonly Column<Row>[]
  readonly subscribers?: (row: Row) => ReactNode
}

/** The columns that tariffs and services have alike, around those of their own. The answer is stable. */
export function useSoldColumns<Row extends Sold>(): (told: Told<Row>) => readonly Column<Row>[] {
  const t = useTexts(dictionaryTexts)
  const format = useFormat()
  const last = useLastColumns<Row>()
  return useCallback(
    ({ price, period, more = [], subscribers = (row) => format.number(row.subscribers) }) => [
      { id: 'name', title: t.name, sort: 'name', width: '28%', cell: ({ name }) => name, text: ({ name }) => name },
      {
        id: 'price',
        title: t.price,
        sort: 'price',
        align: 'right',
        isOnCard: true,
        cell: (row) => format.money(price(row)),
        text: price,
      },
      { id: 'period', title: t.period, isOnCard: true, cell: period, text: period },
      ...more,
      {
        id: 'subscribers',
        title: t.subscribers,
        sort: 'subscribers',
        align: 'right',
        cell: subscribers,
        text: (row) => row.subscribers,
      },
      ...last,
    ],
    [t, format, last],
  )
}

/** The state, and where there are several, the organizations. */
function useLastColumns<Row extends Sold>(): readonly Column<Row>[] {
  const t = useTexts(dictionaryTexts)
  const format = useFormat()
  const { organizations } = useMe()
  return useMemo(() => {
    const nameOf = new Map(organizations.map(({ id, name }) => [id, name]))
    const whose = (row: Row) =>
      row.organizations
        .map(({ id, subscribers }) => `${nameOf.get(id) ?? id}: ${format.number(subscribers)}`)
        .join(', ')
    const state = (row: Row) => (row.enabled ? (row.is_public ? t.isPublic : t.isOffice) : t.isArchived)
    const ofState: Column<Row> = {
      id: 'state',
      title: t.state,
      isOnCard: true,
      cell: (row) => <Pill tone={row.enabled && row.is_public ? 'good' : 'quiet'}>{state(row)}</Pill>,
      text: state,
    }
    const ofOrganizations = { id: 'organizations', title: t.organizations, cell: whose, text: whose }
    return organizations.length > 1 ? [ofState, ofOrganizations] : [ofState]
  }, [t, format, organizations])
}

/** What a tariff or a service is called; the first field of its form. */
export function NameField({ field }: { readonly field: ReturnType<SideFormState['field']> }) {
  const { name } = useTexts(dictionaryTexts)
  return <TextInput {...field} label={name} maxLength={255} autoComplete="off" required data-autofocus />
}
