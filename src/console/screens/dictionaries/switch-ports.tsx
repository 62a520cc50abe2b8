import { Button, Group } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { Item } from '../../api/client.ts'
import { useMayChangeShared } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { commonTexts } from '../../frame/texts.ts'
import { Beside } from '../../patterns/beside.tsx'
import { Copy } from '../../patterns/copy.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { Dot } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './dictionaries.module.css'
import { useNode } from './node.ts'
import { switchEndpoint } from './switch-form.tsx'
import { switchesPath } from './switches.tsx'
import { switchTexts } from './texts.ts'

const portsEndpoint = 'GET /admin/dictionary/switches/{id}/ports/'
type Line = Item<typeof portsEndpoint>
/** A port, and who is on it; null: nobody. */
type Row = { readonly port: number | null; readonly line: Line | null }

/** One switch beside the list: what it is, and who is on each of its ports. */
export default function SwitchPorts() {
  const t = useTexts(switchTexts)
  const navigate = useNavigate()
  const id = Number((useParams({ strict: false }) as { readonly id: string }).id)
  const device = useEndpoint(switchEndpoint, { path: { id } })
  if (device.error && !device.data) throw device.error
  const name = String(device.data?.name ?? '')
  const mayChange = useMayChangeShared()
  return (
    <Beside
      title={name || t.title}
      onClose={() => void navigate({ to: switchesPath, search: true as never })}
      width={680}
    >
      {device.data && (
        <div className={styles.card}>
          {mayChange && (
            <Group>
              <Button component={Link} to={`${switchesPath}${id}/edit/`} variant="default">
                {t.change}
              </Button>
            </Group>
          )}
          <DeviceFacts device={device.data} />
          <Ports id={id} count={Number(device.data.ports_count ?? 0)} />
        </div>
      )}
    </Beside>
  )
}

type FactsProps = { readonly device: Readonly<Record<string, unknown>> }

function DeviceFacts({ device: { ip, mac, model, home, comment } }: FactsProps) {
  const t = useTexts(switchTexts)
  const place = useNode(typeof home === 'number' ? home : null)
  const street = useNode(place?.parent ?? null)
  return (
    <Facts
      facts={[
        [t.ip, <Copy key="ip" text={String(ip)} />],
        [t.mac, mac ? <Copy key="mac" text={String(mac)} /> : null],
        [t.model, model ? String(model) : null],
        [t.place, place ? [street?.name, place.name].filter(Boolean).join(', ') : null],
        [t.comment, comment ? String(comment) : null],
      ]}
    />
  )
}

function Ports({ id, count }: { readonly id: number; readonly count: number }) {
  const t = useTexts(switchTexts)
  const format = useFormat()
  const { data, error } = useEndpoint(portsEndpoint, { path: { id } })
  if (error && !data) throw error
  if (!data) return null
  const rows = rowsOf(data.items, count)
  const used = new Set(data.items.flatMap(({ port }) => (port === null ? [] : [port]))).size
  return (
    <>
      {count > 0 && <p>{t.used(format.number(used), format.number(count))}</p>}
      <PlainTable
        label={t.ports}
        rows={rows}
        rowKey={({ port, line }) => `${port} ${line?.login_id} ${line ? data.items.indexOf(line) : ''}`}
        none={t.nobody}
        columns={[
          { title: t.port, align: 'right', cell: ({ port }) => port ?? t.noPort },
          { title: t.who, cell: ({ line }) => <Who line={line} /> },
          { title: t.login, cell: ({ line }) => line?.login },
          { title: t.address, cell: ({ line }) => line?.address && format.address(line.address) },
          { title: 'IP', cell: ({ line }) => line?.ip && <Copy text={line.ip} /> },
        ]}
      />
      {data.has_more && <p>{t.more}</p>}
    </>
  )
}

/** Every port of the switch, the free ones too, then those beyond its number and those of no port. */
function rowsOf(lines: readonly Line[], count: number): readonly Row[] {
  const byPort = Map.groupBy(lines, ({ port }) => port)
  const own = Array.from({ length: Math.min(count, 1_000) }, (_, at) => at + 1).flatMap((port): Row[] => {
    const on = byPort.get(port) ?? []
    return on.length === 0 ? [{ port, line: null }] : on.map((line) => ({ port, line }))
  })
  const others = lines.filter(({ port }) => port === null || port < 1 || port > count)
  return [...own, ...others.map((line) => ({ port: line.port, line }))]
}

function Who({ line }: { readonly line: Line | null }) {
  const t = useTexts(switchTexts)
  const common = useTexts(commonTexts)
  if (line === null) return <span className={styles.quiet}>{t.free}</span>
  if (line.abonent_id === null) return <span className={styles.quiet}>{t.foreign}</span>
  return (
    <span className={styles.who}>
      <Dot tone={line.online ? 'good' : 'quiet'} says={line.online ? common.online : common.offline} />
      <Link to={`/subscribers/${line.abonent_id}/`}>{line.name}</Link>
    </span>
  )
}
