import { Button, Group } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { rolesPath, sessionsPath, staffEndpoint, staffPath } from './endpoints.ts'
import { useOrganizationNames } from './organizations.ts'
import { useRoleNamed } from './role-names.ts'
import { staffTexts } from './texts.ts'

type User = Item<typeof staffEndpoint>

/** Who works here, as what, and how they sign in. */
export default function Staff() {
  const t = useTexts(staffTexts)
  const may = useMay()
  const columns = useColumns()
  const add = may('system') && (
    <Button component={Link} to={`${staffPath}new/`}>
      {t.add}
    </Button>
  )
  const actions = (
    <Group>
      <Button component={Link} to={rolesPath} variant="default">
        {t.toRoles}
      </Button>
      <Button component={Link} to={sessionsPath} variant="default">
        {t.toSessions}
      </Button>
      {add}
    </Group>
  )
  return (
    <>
      <PageHead title={t.title} actions={actions} />
      <DataList
        name="staff"
        endpoint={staffEndpoint}
        filters={['q']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ username }) => username}
        rowTo={({ id }) => `${staffPath}${id}/`}
        empty={{ title: t.none, action: add }}
      />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<User>[] {
  const t = useTexts(staffTexts)
  const roleNamed = useRoleNamed()
  const format = useFormat()
  const organizationNames = useOrganizationNames()
  return useMemo(() => {
    const role = ({ is_superuser, role }: User) => (is_superuser ? t.isSuperuser : roleNamed(role))
    const organizations = (user: User) =>
      user.is_superuser || user.all_organizations ? t.every : organizationNames(user.organizations)
    const factors = { none: t.noFactor, totp: t.totp, passkey: t.passkey }
    return [
      {
        id: 'username',
        title: t.username,
        width: '20%',
        cell: ({ username }) => username,
        text: ({ username }) => username,
      },
      { id: 'role', title: t.role, isOnCard: true, cell: role, text: role },
      {
        id: 'state',
        title: t.state,
        isOnCard: true,
        cell: ({ enabled }) => <Pill tone={enabled ? 'good' : 'quiet'}>{enabled ? t.on : t.off}</Pill>,
        text: ({ enabled }) => (enabled ? t.on : t.off),
      },
      {
        id: 'factor',
        title: t.factor,
        isOnCard: 'titled',
        cell: (user) => factors[user.second_factor],
        text: (user) => factors[user.second_factor],
      },
      { id: 'organizations', title: t.organizations, width: '22%', cell: organizations, text: organizations },
      {
        id: 'sessions',
        title: t.sessions,
        align: 'right',
        cell: ({ sessions }) => format.number(sessions),
        text: ({ sessions }) => sessions,
      },
      {
        id: 'made',
        title: t.made,
        isExtra: true,
        cell: (user) => format.moment(user.create_date),
        text: (user) => user.create_date,
      },
    ]
  }, [t, roleNamed, format, organizationNames])
}
