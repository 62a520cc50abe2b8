import { ActionIcon, Button, SegmentedControl, Tooltip } from '@mantine/core'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { type Formats, useFormat } from '../../format/format.ts'
import { Icon } from '../../patterns/icon.tsx'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { useFollowing } from '../../live/use-following.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { NasChoice, useNasNames } from './nas-choice.tsx'
import styles from './network.module.css'
import { networkTexts, sessionTexts } from './texts.ts'
import { useDisconnect } from './use-disconnect.ts'

const endpoint = 'GET /admin/radius/sessions/'
type Session = Item<typeof endpoint>
type State = 'live' | 'ended'

/** Sessions of a large network begin and end all the time; the list is asked again at most so often. */
const followMs = 3_000

/** Live sessions, and those that have ended. */
export default function Sessions() {
  const t = useTexts(sessionTexts)
  const may = useMay()
  const names = useNasNames()
  const disconnect = useDisconnect()
  const [address] = useAddressFilters()
  // A session that was disconnected ends when its NAS says so, some time after the answer to the order.
  useFollowing(['sessions'], [endpoint], followMs)
  const state: State = address.state === 'ended' ? 'ended' : 'live'
  const columns = useColumns(state, may('change') ? disconnect.ofOne : null)
  const nas = Number(address.nas)
  const mayCut = may('change') && state === 'live'
  const cutAll = mayCut && nas > 0 && (
    <Button
      variant="default"
      loading={disconnect.isBusy}
      onClick={() => void disconnect.ofNas(nas, names.get(nas) ?? String(nas))}
    >
      {t.all}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} says={<StateChoice state={state} />} actions={cutAll} />
      <DataList
        key={state}
        name={`sessions.${state}`}
        endpoint={endpoint}
        fixed={{ state }}
        filters={['q', 'nas', 'abonent', 'from', 'to']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ login }) => login}
        rowTo={(session) => (session.abonent_id === null ? null : `/subscribers/${session.abonent_id}/`)}
        more={<NasChoice />}
        {...(mayCut && {
          actions: (marked: readonly Session[], unmark: () => void) => (
            <Button
              color="red"
              loading={disconnect.isBusy}
              onClick={() => void disconnect.ofMany(marked).then((isDone) => isDone && unmark())}
            >
              {t.disconnect}
            </Button>
          ),
        })}
        empty={{ title: t.none }}
      />
    </>
  )
}

function StateChoice({ state }: { readonly state: State }) {
  const t = useTexts(sessionTexts)
  const [, change] = useAddressFilters()
  return (
    <SegmentedControl
      aria-label={t.title}
      data={[
        { value: 'live', label: t.live },
        { value: 'ended', label: t.ended },
      ]}
      value={state}
      // What one of the two is sorted by the other may not know.
      onChange={(value) => change({ state: value === 'ended' ? value : undefined, sort: undefined })}
    />
  )
}

function useColumns(
  state: State,
  disconnect: ((session: Session) => Promise<boolean>) | null,
): readonly Column<Session>[] {
  const t = useTexts(sessionTexts)
  const network = useTexts(networkTexts)
  const format = useFormat()
  return useMemo(() => {
    const nasOf = ({ nas_id, nas_name }: Session) => nas_name ?? network.deletedNas(nas_id)
    const addressOf = ({ ip, ipv6_prefix }: Session) => ip ?? ipv6_prefix
    const mono = (text: string | null) => <span className={styles.mono}>{text}</span>
    const usual: Column<Session>[] = [
      { id: 'login', title: network.login, cell: ({ login }) => login, text: ({ login }) => login },
      {
        id: 'subscriber',
        title: network.subscriber,
        width: '10%',
        isElastic: true,
        isOnCard: true,
        cell: (row) => row.abonent_name,
        text: (row) => row.abonent_name,
      },
      { id: 'ip', title: network.address, isOnCard: true, cell: (row) => mono(addressOf(row)), text: addressOf },
      { id: 'mac', title: 'MAC', isExtra: true, cell: ({ mac }) => mono(mac), text: ({ mac }) => mac },
      { id: 'nas', title: network.nas, width: '10%', isElastic: true, isOnCard: true, cell: nasOf, text: nasOf },
      {
        id: 'started',
        title: network.started,
        ...(state === 'live' && { sort: 'started_at' }),
        isOnCard: state === 'live',
        cell: (row) => format.moment(row.started_at),
        text: (row) => row.started_at,
      },
      {
        id: 'time',
        title: t.time,
        align: 'right',
        // At a desk the beginning says the same.
        ...(state === 'live' && ({ sort: 'session_time', isExtra: true } as const)),
        cell: (row) => format.duration(row.session_time),
        text: (row) => row.session_time,
      },
      {
        id: 'traffic',
        title: t.traffic,
        align: 'right',
        ...(state === 'live' && { sort: 'output_octets' }),
        cell: (row) => format.bothWays(format.bytes(row.output_octets), format.bytes(row.input_octets)),
        text: (row) => format.bothWays(String(row.output_octets), String(row.input_octets)),
      },
    ]
    return state === 'live'
      ? [...usual, ...liveColumns(t, format), ...(disconnect ? [actionColumn(t, disconnect)] : [])]
      : [...usual, ...endedColumns(t, network, format)]
  }, [state, disconnect, t, network, format])
}

type Texts = (typeof sessionTexts)['ru']

const liveColumns = (t: Texts, format: Formats): readonly Column<Session>[] => {
  const rateOf = ({ rates }: Session) =>
    rates && format.bothWays(format.speed(rates.output_bps), format.speed(rates.input_bps))
  return [
    {
      id: 'rate',
      title: t.rate,
      align: 'right',
      sort: 'rate',
      // The rate of a new session is known later; its place is there from the beginning, so that rows below stay.
      isOnCard: 'alone',
      cell: (row) => rateOf(row) ?? '—',
      text: ({ rates }) => rates && format.bothWays(String(rates.output_bps), String(rates.input_bps)),
    },
    {
      id: 'updated',
      title: t.updated,
      sort: 'updated_at',
      isExtra: true,
      cell: (row) => format.moment(row.updated_at),
      text: (row) => row.updated_at,
    },
  ]
}

const endedColumns = (t: Texts, network: (typeof networkTexts)['ru'], format: Formats): readonly Column<Session>[] => [
  {
    id: 'ended',
    title: network.ended,
    sort: 'ended_at',
    isOnCard: true,
    cell: (row) => format.moment(row.ended_at),
    text: (row) => row.ended_at,
  },
  { id: 'reason', title: t.reason, isOnCard: true, cell: (row) => row.end_reason, text: (row) => row.end_reason },
]

const actionColumn = (t: Texts, disconnect: (session: Session) => Promise<boolean>): Column<Session> => ({
  id: 'action',
  title: t.disconnect,
  align: 'right',
  isAction: true,
  width: '3rem',
  cell: (session) => (
    <Tooltip label={t.disconnect}>
      <ActionIcon
        variant="subtle"
        color="red"
        size="sm"
        aria-label={t.disconnectOne(session.login)}
        onClick={() => void disconnect(session)}
      >
        <Icon name="close" size={14} />
      </ActionIcon>
    </Tooltip>
  ),
})
