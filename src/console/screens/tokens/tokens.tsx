import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import type { Item } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { tokenTexts } from './texts.ts'

export const tokensEndpoint = 'GET /admin/settings/tokens/'
export const tokensPath = '/system/tokens/'
type Token = Item<typeof tokensEndpoint>

/** One's own tokens; a superuser sees those of everybody. */
export default function Tokens() {
  const t = useTexts(tokenTexts)
  const format = useFormat()
  const { data, error } = useEndpoint(tokensEndpoint, {})
  if (error && !data) throw error
  return (
    <>
      <PageHead
        title={t.title}
        says={t.says}
        actions={
          <Button component={Link} to={`${tokensPath}new/`}>
            {t.add}
          </Button>
        }
      />
      <Panel title={t.title}>
        <PlainTable
          label={t.title}
          rows={data?.items}
          rowKey={({ id }) => id}
          none={t.none}
          columns={[
            { title: t.name, cell: ({ name }) => name },
            { title: t.owner, cell: ({ user }) => user },
            { title: t.scopes, cell: ({ scopes }) => scopes.map((scope) => t[scope]).join(', ') },
            { title: t.used, cell: (one) => (one.used_at === null ? t.neverUsed : format.moment(one.used_at)) },
            { title: t.made, cell: (one) => format.moment(one.created_at) },
            { title: t.expires, cell: ({ expires }) => (expires === null ? t.endless : format.moment(expires)) },
            { title: t.revoke, isAction: true, cell: (one) => <Revoke token={one} /> },
          ]}
        />
      </Panel>
      <Outlet />
    </>
  )
}

function Revoke({ token: { id, name } }: { readonly token: Token }) {
  const t = useTexts(tokenTexts)
  const confirm = useConfirm()
  const send = useTold('DELETE /admin/settings/tokens/{id}/', [tokensEndpoint])
  const run = async () => {
    if (!(await confirm({ title: t.revokeAsks(name), says: t.revokeSays, action: t.revoke, isDangerous: true }))) return
    send.run({ path: { id } }, t.revoked)
  }
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={send.isPending}
      aria-label={t.revokeNamed(name)}
      onClick={() => void run()}
    >
      {t.revoke}
    </Button>
  )
}
