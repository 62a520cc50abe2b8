import { Button, NativeSelect } from '@mantine/core'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './import.module.css'
import { importTexts } from './texts.ts'
import type { Top } from './top.ts'

type ColumnName = Top['columns'][number]

const names = [
  'contract_number',
  'name',
  'login',
  'password',
  'ip',
  'mac',
  'tarif',
  'balance',
  'limit',
  'email',
  'phone',
  'folder',
] as const satisfies readonly ColumnName[]

const examples = 3

type MappingProps = {
  readonly top: Top
  readonly onTop: (top: Top) => void
  readonly onEncoding: (encoding: Top['encoding']) => void
  readonly onCheck: () => void
  readonly isBusy: boolean
}

/** What each column of the file is: as the server guesses it, until somebody says something else. */
export function Mapping({ top, onTop, onEncoding, onCheck, isBusy }: MappingProps) {
  const t = useTexts(importTexts)
  const set = (at: number, name: ColumnName) => onTop({ ...top, columns: top.columns.with(at, name) })
  const choices = [{ value: '', label: t.skip }, ...names.map((value) => ({ value, label: t[value] }))]
  // Passwords are not shown to whoever looks over the shoulder.
  const shown = (at: number) => (cell: string) => (top.columns[at] === 'password' ? '•••' : cell)
  const rows = top.titles.map((title, at) => ({
    at,
    title,
    example: top.rows
      .slice(0, examples)
      .flatMap((row) => row[at] || [])
      .map(shown(at))
      .join(', '),
  }))
  return (
    <Panel title={t.columns}>
      <PlainTable
        label={t.columns}
        rows={rows}
        rowKey={({ at }) => at}
        none=""
        columns={[
          { title: t.inFile, cell: ({ title }) => title },
          {
            title: t.meaning,
            cell: ({ at, title }) => (
              <NativeSelect
                className={styles.meaning ?? ''}
                aria-label={t.meaningOf(title)}
                data={choices}
                value={top.columns[at] ?? ''}
                onChange={({ currentTarget }) => set(at, currentTarget.value as ColumnName)}
              />
            ),
          },
          { title: t.example, cell: ({ example }) => example },
        ]}
      />
      <div className={styles.actions}>
        <NativeSelect
          label={t.encoding}
          data={['utf-8', 'windows-1251']}
          value={top.encoding}
          onChange={({ currentTarget }) => onEncoding(currentTarget.value as Top['encoding'])}
        />
        <Button loading={isBusy} onClick={onCheck}>
          {t.check}
        </Button>
      </div>
    </Panel>
  )
}
