import { Button } from '@mantine/core'
import { useMay } from '../../../api/me.tsx'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useFormat } from '../../../format/format.ts'
import { Copy } from '../../../patterns/copy.tsx'
import { usePages } from '../../../patterns/list/pages.ts'
import { More } from '../../../patterns/more.tsx'
import { Panel } from '../../../patterns/panel.tsx'
import { PlainTable } from '../../../patterns/plain-table.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { sessionTexts } from '../../network/texts.ts'
import { useCoa } from '../../network/use-coa.ts'
import { type Session, useDisconnect } from '../../network/use-disconnect.ts'
import { cardTexts } from '../texts.ts'
import { trafficTexts } from './texts.ts'

const pastAtOnce = 20
const most = 500

/** The live sessions of a subscriber, with what they do just now. */
export function LiveSessions({ abonent }: { readonly abonent: number }) {
  const t = useTexts(trafficTexts)
  const card = useTexts(cardTexts)
  const format = useFormat()
  const network = useTexts(sessionTexts)
  const may = useMay()
  const { data } = useEndpoint('GET /admin/radius/sessions/', { query: { state: 'live', abonent, limit: most } })
  return (
    <Panel title={card.sessions}>
      <PlainTable
        label={card.sessions}
        rows={data?.items}
        rowKey={({ id }) => id}
        none={card.noSessions}
        columns={[
          { title: card.login, cell: ({ login }) => login },
          { title: 'IP', cell: ({ ip, ipv6_prefix }) => ip ?? ipv6_prefix },
          { title: 'MAC', cell: ({ mac }) => mac && <Copy text={mac} /> },
          { title: 'NAS', cell: ({ nas_name, nas_ip }) => nas_name ?? nas_ip },
          { title: card.started, cell: ({ started_at }) => format.moment(started_at) },
          {
            title: t.speed,
            align: 'right',
            cell: ({ rates }) =>
              rates && format.bothWays(format.speed(rates.output_bps), format.speed(rates.input_bps)),
          },
          { title: t.received, align: 'right', cell: ({ output_octets }) => format.bytes(output_octets) },
          { title: t.sent, align: 'right', cell: ({ input_octets }) => format.bytes(input_octets) },
          {
            title: network.actions,
            align: 'right',
            isAction: true,
            cell: (session) => may('change') && <SessionActions session={session} />,
          },
        ]}
      />
    </Panel>
  )
}

/** Tells the NAS what the login has now, or has it cut the session. */
function SessionActions({ session }: { readonly session: Session }) {
  const t = useTexts(sessionTexts)
  const coa = useCoa()
  const disconnect = useDisconnect()
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        loading={coa.isBusy}
        aria-label={t.coaOf(session.login)}
        onClick={() => coa.send(session)}
      >
        {t.coa}
      </Button>
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        disabled={disconnect.isBusy}
        aria-label={t.disconnectOne(session.login)}
        onClick={() => void disconnect.ofOne(session)}
      >
        {t.disconnect}
      </Button>
    </>
  )
}

/** The sessions that have ended, the last first. */
export function PastSessions({ abonent }: { readonly abonent: number }) {
  const t = useTexts(trafficTexts)
  const card = useTexts(cardTexts)
  const format = useFormat()
  const { query, rows } = usePages('GET /admin/radius/sessions/', {
    query: { state: 'ended', abonent, limit: pastAtOnce },
  })
  return (
    <Panel title={t.past}>
      <PlainTable
        label={t.past}
        rows={query.data && rows}
        rowKey={({ id }) => id}
        none={t.noPast}
        columns={[
          { title: card.login, cell: ({ login }) => login },
          { title: 'IP', cell: ({ ip, ipv6_prefix }) => ip ?? ipv6_prefix },
          { title: 'NAS', cell: ({ nas_name, nas_ip }) => nas_name ?? nas_ip },
          { title: card.started, cell: ({ started_at }) => format.moment(started_at) },
          { title: t.ended, cell: ({ ended_at }) => format.moment(ended_at) },
          { title: t.lasted, align: 'right', cell: ({ session_time }) => format.duration(session_time) },
          { title: t.received, align: 'right', cell: ({ output_octets }) => format.bytes(output_octets) },
          { title: t.sent, align: 'right', cell: ({ input_octets }) => format.bytes(input_octets) },
          { title: t.why, cell: ({ end_reason }) => end_reason },
        ]}
      />
      <More of={query} />
    </Panel>
  )
}
