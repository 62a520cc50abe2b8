import { Button, Group, Select, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { actionTexts, auditTexts, tableTexts } from './texts.ts'
import { useDiffWords } from './diff.ts'

const endpoint = 'GET /admin/audit/'
type Entry = Item<typeof endpoint>

/** Who changed what, with filters by record, user and days. */
export default function Audit() {
  const t = useTexts(auditTexts)
  const columns = useColumns()
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      <DataList
        name="audit"
        endpoint={endpoint}
        filters={['table_name', 'object_id', 'user', 'date_from', 'date_to']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ table_name, object_id }) => `${table_name} ${object_id}`}
        rowTo={screenOf}
        more={<Filters />}
        empty={{ title: t.none }}
      />
    </>
  )
}

/** The screen of the record, where there is one by its number. */
function screenOf({ table_name, object_id }: Entry): string | null {
  const path = { ABONENTS: '/subscribers/', ADMIN_ACCOUNTS: '/money/accounts/', STAFF: '/system/staff/' }[table_name]
  return path === undefined || !/^\d+$/.test(object_id) ? null : `${path}${object_id}/`
}

function Filters() {
  const t = useTexts(auditTexts)
  const tables = useTexts(tableTexts)
  const [{ table_name = '', object_id = '', user = '' }, change] = useAddressFilters()
  const [typed, setTyped] = useState({ object_id, user })
  useEffect(() => setTyped({ object_id, user }), [object_id, user])
  const find = (event: FormEvent) => {
    event.preventDefault()
    change({ object_id: typed.object_id.trim() || undefined, user: typed.user.trim() || undefined })
  }
  return (
    <form onSubmit={find}>
      <Group gap="xs">
        <Select
          aria-label={t.table}
          placeholder={t.anyTable}
          data={Object.entries(tables).map(([value, label]) => ({ value, label }))}
          value={table_name === '' ? null : table_name}
          onChange={(value) => change({ table_name: value ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': t.anyTable }}
          searchable
        />
        <TextInput
          aria-label={t.findObject}
          placeholder={t.findObject}
          value={typed.object_id}
          onChange={({ currentTarget }) => setTyped((before) => ({ ...before, object_id: currentTarget.value }))}
        />
        <TextInput
          aria-label={t.findUser}
          placeholder={t.findUser}
          value={typed.user}
          onChange={({ currentTarget }) => setTyped((before) => ({ ...before, user: currentTarget.value }))}
        />
        <Button type="submit" variant="default">
          {t.find}
        </Button>
      </Group>
    </form>
  )
}

function useColumns(): readonly Column<Entry>[] {
  const t = useTexts(auditTexts)
  const tables = useTexts(tableTexts) as Readonly<Record<string, string>>
  const actions = useTexts(actionTexts) as Readonly<Record<string, string>>
  const format = useFormat()
  const say = useDiffWords()
  return useMemo(() => {
    const who = ({ user }: Entry) => user ?? t.byProgram
    const what = ({ table_name, object_id }: Entry) => `${tables[table_name] ?? table_name} ${object_id}`
    const action = (entry: Entry) => actions[entry.action] ?? entry.action
    const diff = (entry: Entry) => say(entry.diff).join('; ')
    return [
      { id: 'at', title: t.at, width: '9rem', cell: ({ at }) => format.moment(at), text: ({ at }) => at },
      { id: 'who', title: t.user, width: '9rem', isOnCard: true, cell: who, text: who },
      { id: 'what', title: t.table, width: '14rem', isOnCard: true, cell: what, text: what },
      { id: 'action', title: t.action, width: '8rem', isOnCard: true, cell: action, text: action },
      {
        id: 'diff',
        title: t.diff,
        isOnCard: true,
        cell: (entry) => <span title={diff(entry)}>{diff(entry)}</span>,
        text: diff,
      },
      {
        id: 'address',
        title: t.address,
        isExtra: true,
        cell: ({ address }) => address,
        text: ({ address }) => address,
      },
    ]
  }, [t, tables, actions, format, say])
}
