import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMayHave } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Meanings } from './meanings.tsx'
import { type Role, rolesEndpoint, rolesPath, staffPath } from './endpoints.ts'
import { useRoleTitle } from './role-names.ts'
import styles from './staff.module.css'
import { rightNames, roleTexts, sessionTexts } from './texts.ts'

/** Roles as rows and rights as columns; a role is opened to change it. */
export default function Roles() {
  const t = useTexts(roleTexts)
  const { back } = useTexts(sessionTexts)
  const mayChange = useMayHave()({ right: 'system', isShared: true })
  const { data, error } = useEndpoint(rolesEndpoint, {})
  if (error && !data) throw error
  const actions = mayChange && (
    <Button component={Link} to={`${rolesPath}new/`}>
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} back={{ to: staffPath, label: back }} says={t.says} actions={actions} />
      <Panel title={t.title}>
        <Matrix roles={data?.items ?? []} every={data?.rights ?? []} mayChange={mayChange} />
      </Panel>
      <Panel title={t.meanings}>
        <Meanings rights={data?.rights ?? []} />
      </Panel>
      <Outlet />
    </>
  )
}

type MatrixProps = {
  readonly roles: readonly Role[]
  readonly every: readonly Role['rights'][number][]
  readonly mayChange: boolean
}

function Matrix({ roles, every, mayChange }: MatrixProps) {
  const t = useTexts(roleTexts)
  const rights = useTexts(rightNames) as Readonly<Record<string, string>>
  const titleOf = useRoleTitle()
  const format = useFormat()
  return (
    <PlainTable
      label={t.title}
      rows={roles}
      rowKey={({ name }) => name}
      none=""
      columns={[
        {
          title: t.role,
          cell: (role) => (
            <>
              {mayChange ? <Link to={`${rolesPath}${role.name}/` as never}>{titleOf(role)}</Link> : titleOf(role)}{' '}
              {role.is_own ? (
                <Pill tone="quiet">{t.own}</Pill>
              ) : (
                isChanged(role) && <Pill tone="info">{t.changed}</Pill>
              )}
            </>
          ),
        },
        ...every.map((right) => ({
          title: rights[right] ?? right,
          cell: (role: Role) => <Mark has={role.rights.includes(right)} />,
        })),
        { title: t.users, align: 'right', cell: (role: Role) => format.number(role.users) },
      ]}
    />
  )
}

/** Whether a role of the program has other rights than the program gives it. */
export const isChanged = ({ rights, default_rights: usual }: Role): boolean =>
  usual !== null && (rights.length !== usual.length || rights.some((right) => !usual.includes(right)))

function Mark({ has }: { readonly has: boolean }) {
  const t = useTexts(roleTexts)
  return (
    <span className={styles.mark} data-has={has ? '' : undefined} role="img" aria-label={has ? t.yes : t.no}>
      {has ? '✓' : '–'}
    </span>
  )
}
