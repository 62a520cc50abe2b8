import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Item } from '../../../api/client.ts'
import { useMay } from '../../../api/me.tsx'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useFormat } from '../../../format/format.ts'
import { isMac } from '../../../format/mac.ts'
import { Panel } from '../../../patterns/panel.tsx'
import { Pill } from '../../../patterns/pill.tsx'
import { PlainTable } from '../../../patterns/plain-table.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { CoaAnswer } from '../../network/coa-answer.tsx'
import { reasonTexts, signInTexts } from '../../network/sign-in-texts.ts'
import { coaTexts, networkTexts } from '../../network/texts.ts'
import { cardTexts } from '../texts.ts'
import { useSubscriber } from '../use-subscriber.ts'
import styles from './logins.module.css'
import { heardTexts, macTexts } from './texts.ts'

const shown = 10

type Answered = Item<'GET /admin/radius/log/'>

/** How the last sign-ins of the subscriber were answered, and why they were refused. */
export function SignIns() {
  const t = useTexts(heardTexts)
  const card = useTexts(cardTexts)
  const says = useTexts(signInTexts)
  const reasons = useTexts(reasonTexts)
  const format = useFormat()
  const { id } = useSubscriber().subscriber
  const items = useEndpoint('GET /admin/radius/log/', { query: { abonent: id, limit: shown } }).data?.items
  return (
    <Panel title={t.signIns}>
      <PlainTable
        label={t.signIns}
        rows={items}
        rowKey={(row) => row.id}
        none={t.noSignIns}
        columns={[
          { title: says.at, cell: ({ at }) => format.moment(at) },
          {
            title: says.reason,
            cell: ({ result, reason, count }) => (
              <>
                <Pill tone={result === 'accept' ? 'good' : 'bad'}>
                  {reason === null ? says.accept : reasons[reason]}
                </Pill>{' '}
                {count > 1 && t.times(count)}
              </>
            ),
          },
          { title: card.login, cell: ({ login }) => login ?? says.manyLogins },
          { title: 'NAS', cell: ({ nas_id, nas_name }) => nas_name ?? nas_id ?? says.manyNas },
          { title: says.port, cell: ({ port }) => port },
          { title: 'MAC', cell: (row) => <HeardMac row={row} /> },
        ]}
      />
      {items?.length === shown && <All to="/network/log/" abonent={id} />}
    </Panel>
  )
}

/** A MAC that a request came from, and that its login does not have yet, may be taken. */
function HeardMac({ row: { mac, login } }: { readonly row: Answered }) {
  const t = useTexts(macTexts)
  const may = useMay()
  const navigate = useNavigate()
  const { id, deleted, logins } = useSubscriber().subscriber
  const own = logins.find((one) => one.login === login) ?? logins[0]
  const isTakable = mac !== null && isMac(mac) && own && logins.every((one) => one.mac !== mac)
  const take = () =>
    void navigate({ to: `/subscribers/${id}/connection/login/${own?.id}/mac/`, search: { mac } as never })
  return (
    <>
      {mac}{' '}
      {isTakable && may('change') && !deleted && (
        <Button variant="subtle" size="compact-sm" onClick={take} aria-label={t.take(mac)}>
          {t.takeAction}
        </Button>
      )}
    </>
  )
}

/** What NAS were asked about the subscriber by Disconnect and CoA, and what they answered. */
export function CoaHistory() {
  const t = useTexts(heardTexts)
  const card = useTexts(cardTexts)
  const says = useTexts(coaTexts)
  const network = useTexts(networkTexts)
  const format = useFormat()
  const { id } = useSubscriber().subscriber
  const items = useEndpoint('GET /admin/radius/coa/', { query: { abonent: id, limit: shown } }).data?.items
  return (
    <Panel title={t.coa}>
      <PlainTable
        label={t.coa}
        rows={items}
        rowKey={(row) => row.id}
        none={t.noCoa}
        columns={[
          { title: says.at, cell: ({ at }) => format.moment(at) },
          { title: says.request, cell: ({ request }) => (request === 'coa' ? 'CoA' : 'Disconnect') },
          { title: says.result, cell: (row) => <CoaAnswer asked={row} /> },
          { title: card.login, cell: ({ login }) => login },
          { title: 'NAS', cell: ({ nas_id, nas_name }) => nas_name ?? network.deletedNas(nas_id) },
        ]}
      />
      {items?.length === shown && <All to="/network/coa/" abonent={id} />}
    </Panel>
  )
}

function All({ to, abonent }: { readonly to: string; readonly abonent: number }) {
  const t = useTexts(heardTexts)
  return (
    <Link to={to} search={{ abonent: String(abonent) } as never} className={styles.all ?? ''}>
      {t.all}
    </Link>
  )
}
