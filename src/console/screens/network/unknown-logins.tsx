import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { useFollowing } from '../../live/use-following.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { followMs, isReject } from './follow-rejects.ts'
import { MakeLogin } from './make-login.tsx'
import { signInTexts, unknownTexts } from './sign-in-texts.ts'

const endpoint = 'GET /admin/radius/log/unknown/'
type Unknown = Item<typeof endpoint>

/** Who asked for access and has no login, each once, and what makes a client of them. */
export default function UnknownLogins() {
  const t = useTexts(unknownTexts)
  const columns = useColumns()
  useFollowing(['radius'], [endpoint], followMs, isReject)
  return (
    <>
      <PageHead
        title={t.title}
        says={t.says}
        actions={
          <Button component={Link} to="/network/log/" variant="default">
            {t.wholeLog}
          </Button>
        }
      />
      <DataList
        name="unknown-logins"
        endpoint={endpoint}
        filters={['q']}
        columns={columns}
        rowKey={({ login, mac }) => `${login} ${mac}`}
        rowName={({ login, mac }) => login || mac || t.noName}
        rowTo={() => null}
        empty={{ title: t.none, says: t.noneSays }}
      />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Unknown>[] {
  const t = useTexts(unknownTexts)
  const says = useTexts(signInTexts)
  const format = useFormat()
  const may = useMay()
  return useMemo(() => {
    const loginOf = ({ login }: Unknown) => login || says.noLogin
    const nasOf = ({ nas_id: id, nas_name: name }: Unknown) => name ?? (id === null ? says.manyNas : String(id))
    const columns: Column<Unknown>[] = [
      { id: 'login', title: says.login, width: '18%', cell: loginOf, text: loginOf },
      { id: 'mac', title: 'MAC', isOnCard: true, cell: ({ mac }) => mac, text: ({ mac }) => mac },
      {
        id: 'owner',
        title: t.owner,
        isOnCard: true,
        cell: ({ owner }) =>
          owner && (
            <Link to={`/subscribers/${owner.abonent_id}/connection/`}>
              {owner.login} ({owner.name})
            </Link>
          ),
        text: ({ owner }) => owner?.login,
      },
      {
        id: 'last',
        title: t.last,
        isOnCard: true,
        cell: ({ last_at: at }) => format.moment(at),
        text: ({ last_at: at }) => at,
      },
      {
        id: 'first',
        title: t.first,
        isExtra: true,
        cell: ({ first_at: at }) => format.moment(at),
        text: ({ first_at: at }) => at,
      },
      {
        id: 'count',
        title: says.count,
        align: 'right',
        cell: ({ count }) => format.number(count),
        text: ({ count }) => count,
      },
      { id: 'nas', title: 'NAS', cell: nasOf, text: nasOf },
      { id: 'port', title: says.port, isExtra: true, cell: ({ port }) => port, text: ({ port }) => port },
    ]
    const action: Column<Unknown> = {
      id: 'take',
      title: t.make,
      isAction: true,
      cell: ({ login, mac }) => <MakeLogin login={login} mac={mac} />,
    }
    return may('change') ? [...columns, action] : columns
  }, [t, says, format, may])
}
