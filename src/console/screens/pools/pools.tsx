import { Alert, Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import type { Item } from '../../api/client.ts'
import { useMayChangeShared } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Empty } from '../../patterns/empty.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Conflicts } from './conflicts.tsx'
import styles from './pools.module.css'
import { poolTexts } from './texts.ts'

export const poolsEndpoint = 'GET /admin/radius/pools/'
type Pool = Item<typeof poolsEndpoint>

/** The pools, each with a bar of what its addresses are used for. */
export default function Pools() {
  const t = useTexts(poolTexts)
  const mayChange = useMayChangeShared()
  const { data, error, isPending } = useEndpoint(poolsEndpoint, {})
  if (error && !data) throw error
  const pools = data?.items ?? []
  const add = mayChange && (
    <Button component={Link} to="/network/pools/new/">
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={add} />
      <Conflicts />
      {!isPending && pools.length === 0 && <Empty title={t.none} says={t.noneSays} action={add} />}
      <ul className={styles.pools} aria-busy={isPending}>
        {pools.map((pool) => (
          <li key={pool.id}>
            <PoolCard pool={pool} />
          </li>
        ))}
      </ul>
      <Outlet />
    </>
  )
}

function PoolCard({ pool }: { readonly pool: Pool }) {
  const t = useTexts(poolTexts)
  return (
    <Link to={`/network/pools/${pool.id}/`} className={styles.pool ?? ''}>
      <span className={styles.head}>
        <strong>{pool.name}</strong>
        {!pool.enabled && <Pill tone="quiet">{t.off}</Pill>}
        {pool.overlaps.length > 0 && <Pill tone="warning">{t.overlaps}</Pill>}
        {pool.conflicts !== null && pool.conflicts > 0 && (
          <Pill tone="bad">
            {t.conflicts}: {pool.conflicts}
          </Pill>
        )}
      </span>
      <span className={styles.network}>{pool.network}</span>
      <UseBar pool={pool} />
    </Link>
  )
}

/** A warning of pools that have the same addresses. */
export function Overlaps({ pools }: { readonly pools: Pool['overlaps'] }) {
  const t = useTexts(poolTexts)
  if (pools.length === 0) return null
  return (
    <Alert color="yellow" role="status">
      {t.overlapsWith(pools.map(({ name, network }) => `${name} (${network})`).join(', '))}
    </Alert>
  )
}

/** What is used, what is somebody's own and what is free, as parts of a bar and in numbers. */
export function UseBar({ pool }: { readonly pool: Pick<Pool, 'size' | 'used' | 'static' | 'free'> }) {
  const t = useTexts(poolTexts)
  const format = useFormat()
  const { size, used, static: own, free } = pool
  if (size === null || used === null || own === null || free === null)
    return <span className={styles.numbers}>{t.notGiven}</span>
  const share = (part: number) => `${size === 0 ? 0 : (100 * part) / size}%`
  const [usedWords, ownWords, freeWords] = [used, own, free].map((count) => format.number(count))
  return (
    <>
      <span className={styles.bar} role="img" aria-label={t.barSays(usedWords!, ownWords!, freeWords!)}>
        <span className={styles.used} style={{ width: share(used) }} />
        <span className={styles.own} style={{ width: share(own) }} />
      </span>
      <span className={styles.numbers}>
        {t.used} {usedWords}, {t.static} {ownWords}, {t.free} <b data-full={free === 0 || undefined}>{freeWords}</b>{' '}
        {t.ofAll(format.number(size))}
      </span>
    </>
  )
}
