import { ActionIcon, Button, Checkbox, CloseButton, Popover, Tooltip } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useFormat } from '../../format/format.ts'
import { useLanguage } from '../../texts/language.tsx'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
import { told } from '../told.ts'
import { clearedFilters, type Filters } from './address.ts'
import { type Chip, Chips } from './chips.tsx'
import type { Column } from './columns.ts'
import { exportCsv } from './export.ts'
import styles from './list.module.css'
import type { Asked, ListEndpoint } from './pages.ts'
import { Period } from './period.tsx'
import { SearchField } from './search-field.tsx'
import { listTexts } from './texts.ts'
import { useTypedFilter } from './typed-filter.ts'
import { ViewChoice } from './view-choice.tsx'

type ToolbarProps<D extends ListEndpoint, Row> = {
  readonly name: string
  readonly endpoint: D
  readonly asked: Asked
  readonly filters: readonly string[]
  readonly chips?: { readonly parameter: string; readonly list: readonly Chip[] }
  readonly more?: ReactNode
  readonly address: Filters
  readonly onChange: (change: Filters) => void
  readonly total: number | null
  readonly hasMoreThanTotal: boolean
  readonly columns: readonly Column<Row>[]
  readonly visibility: Readonly<Record<string, boolean>>
  readonly onColumns: (change: Readonly<Record<string, boolean>>) => void
}

/** More quick filters than these leave no room beside them. */
const fewChips = 5

/**
 * What is always there stands in the first line; with quick filters, the further ones have a line of their own. Many
 * quick filters have a line of their own instead, and all else stands in the one below.
 */
export function Toolbar<D extends ListEndpoint, Row>(props: ToolbarProps<D, Row>) {
  const { filters, chips, more, address, onChange, total, hasMoreThanTotal } = props
  const t = useTexts(listTexts)
  const format = useFormat()
  const isFurtherLast = chips !== undefined && chips.list.length <= fewChips
  const further = (
    <div className={styles.further}>
      {more}
      <Period filters={filters} address={address} onChange={onChange} />
      <ClearAll {...props} />
    </div>
  )
  return (
    <div className={styles.toolbar}>
      {chips && <Chips {...chips} label={t.quick} chosen={address[chips.parameter] ?? ''} onChange={onChange} />}
      {filters.includes('q') && <Find />}
      {!isFurtherLast && further}
      <div className={styles.tools}>
        <span className={styles.total} role="status">
          {total !== null && t.total(format.number(total), hasMoreThanTotal)}
        </span>
        {filters.length > 0 && <ViewChoice {...props} />}
        <ColumnChoice {...props} />
        <Export {...props} />
      </div>
      {isFurtherLast && further}
    </div>
  )
}

type ClearProps = Pick<ToolbarProps<ListEndpoint, unknown>, 'filters' | 'chips' | 'address' | 'onChange'>

/** A link may have brought filters that no field shows, such as a subscriber. */
function ClearAll({ filters, chips, address, onChange }: ClearProps) {
  const t = useTexts(listTexts)
  const further = filters.filter((name) => name !== 'q' && name !== chips?.parameter)
  const cleared = clearedFilters(further, address)
  if (Object.keys(cleared).length === 0) return null
  return (
    <Button variant="subtle" size="compact-sm" flex="none" onClick={() => onChange(cleared)}>
      {t.clear}
    </Button>
  )
}

/** Searches when the typing pauses. */
function Find() {
  const t = useTexts(listTexts)
  const [typed, setTyped] = useTypedFilter('q')
  return (
    <SearchField
      className={styles.find ?? ''}
      label={t.find}
      typed={typed}
      onType={setTyped}
      rightSection={typed !== '' && <CloseButton size="sm" aria-label={t.clearSearch} onClick={() => setTyped('')} />}
    />
  )
}

function ColumnChoice<D extends ListEndpoint, Row>({ columns, visibility, onColumns }: ToolbarProps<D, Row>) {
  const t = useTexts(listTexts)
  const choosable = columns.slice(1).filter(({ isAction }) => isAction !== true)
  return (
    <Popover position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="default" size="lg" aria-label={t.columns} title={t.columns} className={styles.wide ?? ''}>
          <Icon name="columns" size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={styles.columnChoice ?? ''}>
        {choosable.map(({ id, title }) => (
          <Checkbox
            key={id}
            size="xs"
            label={title}
            checked={visibility[id] ?? false}
            onChange={({ currentTarget }) => onColumns({ [id]: currentTarget.checked })}
          />
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}

function Export<D extends ListEndpoint, Row>({ name, endpoint, asked, columns, visibility }: ToolbarProps<D, Row>) {
  const t = useTexts(listTexts)
  const say = useSayRefusal()
  const { language } = useLanguage()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const shown = columns.filter(({ id }) => visibility[id])
      const { rows, isCut } = await exportCsv({ name, endpoint, asked, language }, shown)
      if (isCut) told.kept(t.exportCut(rows))
      else told.done(t.exported(rows))
    } catch (error) {
      told.failed(say(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Tooltip label={isBusy ? t.exporting : t.export}>
      <Button variant="default" h={34} px={10} aria-label={t.export} loading={isBusy} onClick={run}>
        CSV
      </Button>
    </Tooltip>
  )
}
