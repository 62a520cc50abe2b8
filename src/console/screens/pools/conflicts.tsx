import { Link } from '@tanstack/react-router'
import type { Item } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Copy } from '../../patterns/copy.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { poolTexts } from './texts.ts'

const endpoint = 'GET /admin/radius/pools/conflicts/'
type Holder = Item<typeof endpoint>['holders'][number]

/** Addresses that several have. Without any the panel is not there. */
export function Conflicts({ pool }: { readonly pool?: number }) {
  const t = useTexts(poolTexts)
  const { data } = useEndpoint(endpoint, { query: pool === undefined ? {} : { pool } })
  const items = data?.items ?? []
  if (items.length === 0) return null
  return (
    <Panel title={t.conflicts}>
      <PlainTable
        label={t.conflicts}
        rows={items}
        rowKey={({ code, address, holders }) => `${code} ${address} ${holders.map(({ login_id }) => login_id).join()}`}
        none={t.nobody}
        columns={[
          { title: t.address, cell: ({ address }) => <Copy text={address} /> },
          { title: t.kind, cell: ({ code }) => (code === 'given_twice' ? t.givenTwice : t.heldByAnother) },
          { title: t.who, cell: ({ holders }) => <Holders holders={holders} /> },
        ]}
      />
    </Panel>
  )
}

/** The logins that have an address, each leading to its subscriber. */
export function Holders({ holders }: { readonly holders: readonly Holder[] }) {
  const t = useTexts(poolTexts)
  return (
    <>
      {holders.map(({ login, login_id, abonent_id, name }, at) => (
        <span key={login_id ?? `unseen ${at}`}>
          {at > 0 && ', '}
          {abonent_id === null ? (
            t.foreign
          ) : (
            <Link to={`/subscribers/${abonent_id}/`}>
              {login} ({name})
            </Link>
          )}
        </span>
      ))}
    </>
  )
}
