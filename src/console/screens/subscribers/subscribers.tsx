import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/me.tsx'
import { placeTexts } from '../../frame/places.ts'
import type { Frame } from '../../live/socket.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import { Chips } from '../../patterns/list/chips.tsx'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { QueryOf } from '../../patterns/list/pages.ts'
import { useColumns } from './columns.tsx'
import { ManyActions, useManyActions } from './many/actions.tsx'
import { subscribersTexts } from './texts.ts'

type Found = QueryOf<'GET /admin/Abonents/subscribers/'>

/** Whom an event is about. */
function subscribersOf({ session, abonent_id: one, abonent_ids: many }: Frame): readonly unknown[] {
  return [(session as { readonly abonent_id?: unknown } | undefined)?.abonent_id, one, ...((many as unknown[]) ?? [])]
}

/** Balance, state and line of those who are shown; others may come and go. */
const follows = {
  topics: ['sessions', 'blocks', 'finance'],
  concerns: (frame: Frame, rows: readonly { readonly id: number }[]): boolean => {
    if (frame.type === 'session.updated') return false
    const concerned = subscribersOf(frame)
    return rows.some(({ id }) => concerned.includes(id))
  },
}

export default function Subscribers() {
  const t = useTexts(subscribersTexts)
  const place = useTexts(placeTexts)
  const may = useMay()
  const columns = useColumns()
  const actions = useManyActions()
  const chips = (['', 'online', 'debtors', 'blocked', 'promised', 'deleted'] as const).map((value) => ({
    value,
    label: place[value === '' ? 'all' : value],
  }))
  const add = may('change') && (
    <Button component={Link} to="/subscribers/new/">
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={place.subscribers} actions={add} />
      <DataList
        name="subscribers"
        endpoint="GET /admin/Abonents/subscribers/"
        filters={['show', 'q', 'tarif', 'organization', 'home', 'debt_days', 'debt_days_to']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        rowTo={({ id }) => `/subscribers/${id}/`}
        chips={{ parameter: 'show', list: chips }}
        more={<DebtAge />}
        {...(actions && {
          actions: (marked: readonly { readonly id: number }[], unmark: () => void) => (
            <ManyActions actions={actions} meant={{ ids: marked.map(({ id }) => id) }} onDone={unmark} />
          ),
          allActions: (filter: Found, unmark: () => void) => (
            <ManyActions actions={actions} meant={{ filter }} onDone={unmark} />
          ),
        })}
        follows={follows}
        empty={{ title: t.none, says: t.noneSays, action: add }}
      />
    </>
  )
}

const ages = [7, 30, 60, 90] as const

/** Among debtors, those who have owed for long. */
function DebtAge() {
  const t = useTexts(subscribersTexts)
  const [{ show, debt_days: from = '', debt_days_to: to = '' }, change] = useAddressFilters()
  if (show !== 'debtors' && from === '' && to === '') return null
  const chosen = to === '' ? from : `${from}-${to}`
  const label = to === '' ? t.debtFrom(Number(from)) : t.debtBetween(Number(from), Number(to))
  const any = { value: '', label: t.anyDebt }
  const usual = ages.map((age) => ({ value: String(age), label: t.debtFrom(age) }))
  // A report leads to ages of its own, which stand where a telephone shows them at once.
  const isOwn = ![any, ...usual].some(({ value }) => value === chosen)
  const list = [any, ...(isOwn ? [{ value: chosen, label }] : []), ...usual]
  return (
    <Chips
      label={t.debtAge}
      parameter="debt_days"
      list={list}
      chosen={chosen}
      onChange={({ debt_days: days }) => days !== chosen && change({ debt_days: days, debt_days_to: undefined })}
    />
  )
}
