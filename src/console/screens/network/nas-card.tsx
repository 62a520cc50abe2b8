import { Alert, Button, Group, SegmentedControl } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay, useMayChangeShared } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { commonTexts } from '../../frame/texts.ts'
import { useFormat } from '../../format/format.ts'
import { Beside } from '../../patterns/beside.tsx'
import { Copy } from '../../patterns/copy.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { Listing } from '../../patterns/listing.tsx'
import { useTexts } from '../../texts/texts.ts'
import { configurationOf, devices, deviceOf, type Place } from './configuration.ts'
import { DropWords, type Nas, NasPill, useHealthWords } from './nas-health.tsx'
import styles from './network.module.css'
import { healthTexts } from './texts.ts'

/** One NAS beside the list: how it is, what to do with it, and what to enter into the device itself. */
export default function NasCard() {
  const { id } = useParams({ strict: false }) as { id: string }
  const health = useTexts(healthTexts)
  const navigate = useNavigate()
  const { data } = useEndpoint('GET /admin/radius/nas/', {})
  const nas = data?.items.find((one) => String(one.id) === id)
  return (
    <Beside title={nas?.name ?? health.title} onClose={() => void navigate({ to: '/network/nas/' })}>
      {data && nas && (
        <Content nas={nas} ports={{ authPort: data.radius_auth_port, acctPort: data.radius_acct_port }} />
      )}
      {data && !nas && <Alert color="red">{health.none}</Alert>}
    </Beside>
  )
}

type ContentProps = { readonly nas: Nas; readonly ports: Pick<Place, 'authPort' | 'acctPort'> }

function Content({ nas, ports }: ContentProps) {
  const t = useTexts(healthTexts)
  const may = useMay()
  const mayChange = useMayChangeShared()
  const format = useFormat()
  const words = useHealthWords()
  const navigate = useNavigate()
  const { id } = nas
  return (
    <div className={styles.card}>
      {may('change') && (
        <Group>
          <Button onClick={() => void navigate({ to: `/network/nas/${id}/test/` })}>{t.test}</Button>
          {mayChange && (
            <Button variant="default" onClick={() => void navigate({ to: `/network/nas/${id}/edit/` })}>
              {t.change}
            </Button>
          )}
        </Group>
      )}
      <Facts
        facts={[
          [t.state, <NasPill key="state" {...nas} />],
          ['IP', <Copy key="ip" text={nas.ip ?? nas.network ?? ''} />],
          [t.lastPacket, format.moment(nas.last_packet_at)],
          [t.clock, words.clock(nas)],
          [t.sessions, format.number(nas.sessions)],
          [t.rates, words.rates(nas)],
          [t.drops, Object.keys(nas.drops).length > 0 ? <DropWords key="drops" drops={nas.drops} /> : null],
          [t.coa, words.coa(nas)],
          [t.wait, words.wait(nas)],
          [t.learned, words.learned(nas)],
        ]}
      />
      <Group gap="lg">
        <Link to="/network/sessions/" search={{ nas: String(id) } as never}>
          {t.sessionsOf}
        </Link>
        <Link to="/network/coa/" search={{ nas: String(id) } as never}>
          {t.coaOf}
        </Link>
      </Group>
      <Configuration nas={nas} ports={ports} />
    </div>
  )
}

function Configuration({ nas, ports }: ContentProps) {
  const t = useTexts(healthTexts)
  const common = useTexts(commonTexts)
  const [device, setDevice] = useState(deviceOf(nas.nas_type))
  const text = configurationOf(device, { server: location.hostname, name: nas.name, coaPort: nas.coa_port, ...ports })
  return (
    <section className={styles.configuration}>
      <h2>{t.configuration}</h2>
      <SegmentedControl
        aria-label={t.device}
        data={devices.map(({ value, label }) => ({ value, label }))}
        value={device}
        onChange={(value) => setDevice(value as typeof device)}
      />
      <p>{t.configurationSays}</p>
      <Listing text={text} />
      <Copy text={text} label={common.copy} />
    </section>
  )
}
