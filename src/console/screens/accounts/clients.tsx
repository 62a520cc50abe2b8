import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMay } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { told } from '../../patterns/told.ts'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './accounts.module.css'
import { accountsTexts, accountTexts } from './texts.ts'
import { type AccountCard, addressOfAccount, type Client, outdatedByAccount } from './use-account.ts'

/** The subscribers who have the account. */
export function Clients({ card: { account, clients } }: { readonly card: AccountCard }) {
  const t = useTexts(accountTexts)
  const names = useTexts(accountsTexts)
  const may = useMay()
  const navigate = useNavigate()
  const unlink = useUnlink(account.id)
  const link = may('change') && (
    <Button variant="default" onClick={() => void navigate({ to: `${addressOfAccount(account.id)}link/` as never })}>
      {t.link}
    </Button>
  )
  return (
    <Panel title={t.clients} actions={link}>
      <PlainTable
        label={t.clients}
        rows={clients}
        rowKey={({ id }) => id}
        none={t.noClients}
        columns={[
          {
            title: t.name,
            cell: ({ id, name }) => <Link to={`/subscribers/${id}/` as never}>{name}</Link>,
          },
          { title: t.contract, cell: (row) => row.contract_number },
          { title: names.id, cell: ({ id }) => id },
          { title: names.state, cell: (row) => <ClientState client={row} /> },
          {
            title: t.clientActions,
            align: 'right',
            isAction: true,
            cell: (row) => <ClientActions client={row} isBusy={unlink.isBusy} onUnlink={() => void unlink.run(row)} />,
          },
        ]}
      />
    </Panel>
  )
}

function ClientState({ client }: { readonly client: Client }) {
  const t = useTexts(accountTexts)
  const names = useTexts(accountsTexts)
  const format = useFormat()
  const { is_main, deleted, enabled, promise_pay, promise_date_end } = client
  return (
    <span className={styles.states}>
      {is_main && <Pill tone="info">{t.main}</Pill>}
      {deleted ? (
        <Pill tone="quiet">{t.deleted}</Pill>
      ) : (
        <Pill tone={enabled ? 'good' : 'bad'}>{enabled ? t.access : names.closed}</Pill>
      )}
      {promise_date_end && (
        <Pill tone="warning">{t.promised(format.money(promise_pay), format.moment(promise_date_end))}</Pill>
      )}
    </span>
  )
}

type ActionsProps = { readonly client: Client; readonly isBusy: boolean; readonly onUnlink: () => void }

function ClientActions({ client: { id, deleted, promise_date_end }, isBusy, onUnlink }: ActionsProps) {
  const t = useTexts(accountTexts)
  const may = useMay()
  return (
    <span className={styles.clientActions}>
      {may('money') && !deleted && !promise_date_end && (
        <Button component={Link} to={`/subscribers/${id}/money/promise/` as never} size="xs" variant="default">
          {t.promise}
        </Button>
      )}
      {may('change') && (
        <Button size="xs" variant="default" loading={isBusy} onClick={onUnlink}>
          {t.unlink}
        </Button>
      )}
    </span>
  )
}

/** Used above the rows: that of the subscriber who is unlinked is gone before the answer is told. */
function useUnlink(account: number) {
  const t = useTexts(accountTexts)
  const confirm = useConfirm()
  const unlink = useTold('POST /admin/Abonents/accounts_unlink/{id}/{abonent_id}/', outdatedByAccount)
  const run = async ({ id, name }: Client) => {
    const isSure = await confirm({ title: t.unlinkAsks(name), says: t.unlinkSays, action: t.unlink, isDangerous: true })
    if (!isSure) return
    unlink.run({ path: { id: account, abonent_id: id } }, (answer) => told.kept(t.unlinked(answer.new_account_id)))
  }
  return { run, isBusy: unlink.isPending }
}
