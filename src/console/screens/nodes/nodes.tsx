import { Button } from '@mantine/core'
import { useMayChangeShared } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { Empty } from '../../patterns/empty.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { drainEndpoint, type Node, nodesEndpoint } from './endpoints.ts'
import styles from './nodes.module.css'
import { nodeTexts } from './texts.ts'

/** Nodes tell of themselves every second. */
const askMs = 2_000
/** A clock that is further off, or a lag that is longer, is to be looked at. */
const clockMaxMs = 2_000
const lagMaxMs = 2_000

/** The programs that serve the database together, each with what it tells of itself. */
export default function Nodes() {
  const t = useTexts(nodeTexts)
  const { data, error } = useEndpoint(nodesEndpoint, {}, { everyMs: askMs })
  if (error && !data) throw error
  const nodes = data?.nodes ?? []
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      {data && nodes.length === 0 && <Empty title={t.none} says={t.noneSays} />}
      <div className={styles.nodes}>
        {nodes.map((node) => (
          <Panel
            key={node.name}
            title={node.name}
            actions={<Drain node={node} isLast={!nodes.some((other) => other !== node && serves(other))} />}
          >
            <State node={node} />
            <NodeFacts node={node} />
          </Panel>
        ))}
      </div>
    </>
  )
}

/** The office can be reached at it. */
const serves = ({ state, draining, role }: Node): boolean => state === 'alive' && !draining && role === 'full'

function Drain({ node: { name, state, draining }, isLast }: { readonly node: Node; readonly isLast: boolean }) {
  const t = useTexts(nodeTexts)
  const confirm = useConfirm()
  const mayDrain = useMayChangeShared()
  const { run, isPending } = useTold(drainEndpoint, [nodesEndpoint])
  if (!mayDrain || state !== 'alive' || draining) return null
  const drain = async () => {
    const says = isLast ? `${t.drainMeans} ${t.drainLast}` : t.drainMeans
    if (!(await confirm({ title: t.drainAsks(name), says, action: t.drain, isDangerous: isLast }))) return
    run({ path: { name } }, t.drains(name))
  }
  return (
    <Button
      variant="default"
      size="compact-sm"
      disabled={isPending}
      aria-label={t.drainNamed(name)}
      onClick={() => void drain()}
    >
      {t.drain}
    </Button>
  )
}

const isClockOff = ({ clock_offset_ms }: Node): boolean => Math.abs(clock_offset_ms ?? 0) > clockMaxMs
const isBehind = ({ lag_ms }: Node): boolean => (lag_ms ?? 0) > lagMaxMs

/** What it does, and what is to be looked at. */
function State({ node }: { readonly node: Node }) {
  const t = useTexts(nodeTexts)
  const { state, draining } = node
  const isAlive = state === 'alive'
  return (
    <div className={styles.state}>
      {isAlive && !draining && <Pill tone="good">{t.alive}</Pill>}
      {isAlive && draining && <Pill tone="warning">{t.draining}</Pill>}
      {state === 'fenced' && <Pill tone="bad">{t.fenced}</Pill>}
      {state === 'gone' && <Pill tone="quiet">{t.gone}</Pill>}
      {isAlive && draining && <p>{t.drainingSays}</p>}
      {state === 'fenced' && <p>{t.fencedSays}</p>}
      {isAlive && isClockOff(node) && <p>{t.clockSays}</p>}
      {isAlive && isBehind(node) && <p>{t.lagSays}</p>}
    </div>
  )
}

function NodeFacts({ node }: { readonly node: Node }) {
  const t = useTexts(nodeTexts)
  const format = useFormat()
  const { state, role, version, started_at, heartbeat_at, lag_ms, http, radius, sessions } = node
  const isAlive = state === 'alive'
  const clock = <Clock key="clock" node={node} />
  const lag = lag_ms === null ? null : t.milliseconds(format.number(lag_ms))
  return (
    <Facts
      facts={[
        [t.role, role === 'full' ? t.full : t.edge],
        [t.version, version],
        [t.started, format.moment(started_at)],
        [t.heartbeat, isAlive ? null : format.ago(heartbeat_at)],
        [t.lag, isAlive ? <Marked key="lag" isWrong={isBehind(node)} text={lag} /> : null],
        [t.clock, isAlive ? clock : null],
        [t.sessions, isAlive && sessions !== null ? format.number(sessions) : null],
        [t.rates, isAlive ? <Rates key="rates" rates={node.rates} /> : null],
        [t.address, http],
        [t.radius, radius],
      ]}
    />
  )
}

function Clock({ node }: { readonly node: Node }) {
  const t = useTexts(nodeTexts)
  const format = useFormat()
  const ms = node.clock_offset_ms
  if (ms === null) return null
  const size = format.number(Math.abs(ms))
  const text = ms === 0 ? t.exact : ms > 0 ? t.ahead(size) : t.behind(size)
  return <Marked isWrong={isClockOff(node)} text={text} />
}

const Marked = ({ isWrong, text }: { readonly isWrong: boolean; readonly text: string | null }) =>
  isWrong ? <Pill tone="warning">{text}</Pill> : text

function Rates({ rates }: Pick<Node, 'rates'>) {
  const t = useTexts(nodeTexts)
  const format = useFormat()
  if (!rates) return null
  const { accept, reject, accounting, dropped } = rates
  const said = [
    t.accepted(format.number(accept)),
    t.rejected(format.number(reject)),
    t.accounted(format.number(accounting)),
    ...(dropped > 0 ? [t.dropped(format.number(dropped))] : []),
  ]
  return said.join(', ')
}
