import { Button, SegmentedControl } from '@mantine/core'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMayChangeShared } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Copy } from '../../patterns/copy.tsx'
import { usePages } from '../../patterns/list/pages.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { More } from '../../patterns/more.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Conflicts, Holders } from './conflicts.tsx'
import { Overlaps, poolsEndpoint, UseBar } from './pools.tsx'
import styles from './pools.module.css'
import { poolTexts } from './texts.ts'

const holdersEndpoint = 'GET /admin/radius/pools/{id}/holders/'
const freeEndpoint = 'GET /admin/radius/pools/{id}/free/'
const tones = { session: 'good', offered: 'info', static: 'warning' } as const

/** One pool: who has its addresses, and which are free. */
export default function Pool() {
  const t = useTexts(poolTexts)
  const id = Number((useParams({ strict: false }) as { readonly id: string }).id)
  const pool = useEndpoint(poolsEndpoint, {}).data?.items.find((one) => one.id === id)
  const free = useEndpoint(freeEndpoint, { path: { id }, query: {} })
  if (free.error && !free.data) throw free.error
  const addresses = free.data?.items ?? []
  return (
    <>
      <PageHead
        title={pool?.name ?? ''}
        back={{ to: '/network/pools/', label: t.back }}
        says={pool?.network}
        actions={<Actions pool={id} />}
      />
      {pool && (
        <Panel title={t.addresses}>
          <UseBar pool={pool} />
          <Overlaps pools={pool.overlaps} />
        </Panel>
      )}
      <Conflicts pool={id} />
      {addresses.length > 0 && (
        <Panel title={t.nextFree}>
          <p className={styles.free}>
            {addresses.map((address) => (
              <Copy key={address} text={address} />
            ))}
          </p>
        </Panel>
      )}
      <HoldersPanel pool={id} />
      <Outlet />
    </>
  )
}

function Actions({ pool }: { readonly pool: number }) {
  const t = useTexts(poolTexts)
  const mayChange = useMayChangeShared()
  return (
    <>
      {mayChange && (
        <Button component={Link} to={`/network/pools/${pool}/edit/`}>
          {t.change}
        </Button>
      )}
    </>
  )
}

function HoldersPanel({ pool }: { readonly pool: number }) {
  const t = useTexts(poolTexts)
  const [kind, setKind] = useState('')
  const { query, rows } = usePages(holdersEndpoint, { path: { id: pool }, query: kind === '' ? {} : { kind } })
  const kinds = { session: t.session, offered: t.offered, static: t.ownKind }
  return (
    <Panel title={t.holders}>
      <SegmentedControl
        className={styles.filters ?? ''}
        value={kind}
        onChange={setKind}
        data={[{ value: '', label: t.allKinds }, ...Object.entries(kinds).map(([value, label]) => ({ value, label }))]}
      />
      <PlainTable
        label={t.holders}
        rows={query.data && rows}
        rowKey={({ address }) => address}
        none={t.nobody}
        columns={[
          { title: t.address, cell: ({ address }) => <Copy text={address} /> },
          { title: t.kind, cell: (row) => <Pill tone={tones[row.kind]}>{kinds[row.kind]}</Pill> },
          { title: t.who, cell: ({ holders }) => <Holders holders={holders} /> },
        ]}
      />
      <More of={query} />
    </Panel>
  )
}
