import { Button } from '@mantine/core'
import { useTexts } from '../../texts/texts.ts'
import { Empty, type EmptyProps } from '../empty.tsx'
import { clearedFilters, type Filters } from './address.ts'
import { listTexts } from './texts.ts'

type ListEmptyProps = {
  readonly address: Filters
  readonly filters: readonly string[]
  readonly onClear: (change: Filters) => void
  readonly empty: EmptyProps
}

/** With filters nothing may fit them; without, there is nothing yet, and the screen says what to do. */
export function ListEmpty({ address, filters, onClear, empty }: ListEmptyProps) {
  const t = useTexts(listTexts)
  const cleared = clearedFilters(filters, address)
  if (Object.keys(cleared).length === 0) return <Empty {...empty} />
  return (
    <Empty
      title={t.nothing}
      action={
        <Button variant="default" onClick={() => onClear(cleared)}>
          {t.clear}
        </Button>
      }
    />
  )
}
