import { useMemo } from 'react'
import { useMe } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { dictionaryTexts } from './texts.ts'

/** A tariff or a service: who may have it, and whose subscribers do. */
type Sold = {
  readonly enabled: boolean
  readonly is_public: boolean
  readonly organizations: readonly { readonly id: number; readonly subscribers: number }[]
}

/** The last columns of tariffs and services: the state, and where there are several, the organizations. */
export function useSoldColumns<Row extends Sold>(): readonly Column<Row>[] {
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
