import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Pill, type Tone } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { HomeChoice } from '../dictionaries/home-choice.tsx'
import styles from './by-house.module.css'
import { byHouseTexts } from './by-house-texts.ts'

const endpoint = 'GET /admin/radius/homes/'
type House = Item<typeof endpoint>

/** How many of each house are online: an outage of a house stands first. */
export default function ByHouse() {
  const t = useTexts(byHouseTexts)
  const columns = useColumns()
  const chips = (['', 'lost', 'down'] as const).map((value) => ({ value, label: t[value === '' ? 'all' : value] }))
  return (
    <>
      <PageHead title={t.title} />
      <DataList
        name="by-house"
        endpoint={endpoint}
        filters={['show', 'home']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ address }) => address}
        rowTo={({ id }) => `/subscribers/?home=${id}`}
        chips={{ parameter: 'show', list: chips }}
        more={<Within />}
        empty={{ title: t.none, says: t.noneSays }}
      />
    </>
  )
}

/** The city or the street that is looked at. */
function Within() {
  const [{ home = null }, change] = useAddressFilters()
  return (
    <HomeChoice
      className={styles.within ?? ''}
      value={home}
      onChange={(value) => change({ home: value ?? undefined })}
    />
  )
}

/** One subscriber who is away is no outage. */
function stateOf({ online, subscribers, lost }: House): 'down' | 'partly' | 'works' | 'empty' {
  if (lost > 1 && lost >= online) return online === 0 ? 'down' : 'partly'
  if (online > 0) return 'works'
  return subscribers > 1 ? 'down' : 'empty'
}

const tones = { down: 'bad', partly: 'warning', works: 'good', empty: 'quiet' } as const satisfies Record<string, Tone>

const names = { down: 'stateDown', partly: 'statePartly', works: 'stateWorks', empty: 'stateEmpty' } as const

function useColumns(): readonly Column<House>[] {
  const t = useTexts(byHouseTexts)
  const format = useFormat()
  return useMemo(() => {
    const state = (row: House) => t[names[stateOf(row)]]
    return [
      {
        id: 'address',
        title: t.address,
        width: '36%',
        cell: ({ address }) => format.address(address),
        text: ({ address }) => address,
      },
      {
        id: 'state',
        title: t.state,
        isOnCard: true,
        cell: (row) => <Pill tone={tones[stateOf(row)]}>{state(row)}</Pill>,
        text: state,
      },
      {
        id: 'online',
        title: t.online,
        sort: 'online',
        isOnCard: true,
        cell: (row) => <Share house={row} />,
        text: ({ online }) => online,
      },
      {
        id: 'subscribers',
        title: t.subscribers,
        sort: 'subscribers',
        align: 'right',
        cell: ({ subscribers }) => format.number(subscribers),
        text: ({ subscribers }) => subscribers,
      },
      {
        id: 'lost',
        title: t.lostColumn,
        sort: 'lost',
        align: 'right',
        isOnCard: 'titled',
        cell: ({ lost }) => format.number(lost),
        text: ({ lost }) => lost,
      },
    ]
  }, [t, format])
}

/** How many of all are online, as a bar and in words. */
function Share({ house: { online, subscribers } }: { readonly house: House }) {
  const t = useTexts(byHouseTexts)
  const format = useFormat()
  return (
    <span className={styles.share}>
      <span className={styles.bar} aria-hidden="true">
        <span style={{ width: `${(100 * online) / subscribers}%` }} />
      </span>
      {t.of(format.number(online), format.number(subscribers))}
    </span>
  )
}
