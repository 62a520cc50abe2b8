import { Button } from '@mantine/core'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { useMay } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { useGo } from '../../patterns/late.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { told } from '../../patterns/told.ts'
import { useTold } from '../../patterns/use-told.ts'
import { WhoseProvider } from '../../patterns/whose.ts'
import { useTexts } from '../../texts/texts.ts'
import { Balance } from '../subscribers/balance.tsx'
import { Clients } from './clients.tsx'
import { BankRows, Operations } from './operations.tsx'
import { Notices, Receipts, Services } from './papers.tsx'
import { States } from './states.tsx'
import { accountsTexts, accountTexts } from './texts.ts'
import { type AccountCard, accountsEndpoint, addressOfAccount, useAccount } from './use-account.ts'

/** A personal account: who has it, its terms and its money. */
export default function AccountScreen() {
  const t = useTexts(accountsTexts)
  const words = useTexts(accountTexts)
  const card = useAccount()
  const { account } = card
  return (
    <>
      <PageHead
        title={t.numbered(account.id)}
        back={{ to: '/money/accounts/', label: words.back }}
        says={<States account={account} />}
        actions={<Actions card={card} />}
      />
      <Terms card={card} />
      <Clients card={card} />
      <Operations card={card} />
      <Services card={card} />
      <Receipts id={account.id} />
      <BankRows id={account.id} />
      <Notices card={card} />
      <WhoseProvider value={t.numbered(account.id)}>
        <Outlet />
      </WhoseProvider>
    </>
  )
}

function Actions({ card }: { readonly card: AccountCard }) {
  const t = useTexts(accountTexts)
  const may = useMay()
  const navigate = useNavigate()
  const { id } = card.account
  return (
    <>
      {may('money') && (
        <Button onClick={() => void navigate({ to: `${addressOfAccount(id)}payment/` as never })}>{t.pay}</Button>
      )}
      {may('change') && <Removal card={card} />}
    </>
  )
}

/** Only an account that nothing refers to can be deleted. */
function Removal({ card: { account } }: { readonly card: AccountCard }) {
  const t = useTexts(accountTexts)
  const confirm = useConfirm()
  const navigate = useGo()
  const remove = useTold('POST /admin/Abonents/accounts_crud/{id}/', [accountsEndpoint])
  const { id, clients_count, video_objects_count, last_operation_id } = account
  if (clients_count > 0 || video_objects_count > 0 || last_operation_id !== null) return null
  const run = async () => {
    if (!(await confirm({ title: t.removeAsks(id), action: t.remove, isDangerous: true }))) return
    remove.run({ path: { id }, body: { _delete: true } }, () => {
      told.done(t.removed)
      void navigate({ to: '/money/accounts/' as never })
    })
  }
  return (
    <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => void run()}>
      {t.remove}
    </Button>
  )
}

function Terms({ card: { account, organization } }: { readonly card: AccountCard }) {
  const t = useTexts(accountTexts)
  const names = useTexts(accountsTexts)
  const format = useFormat()
  const may = useMay()
  const navigate = useNavigate()
  const change = may('change') && (
    <Button variant="default" onClick={() => void navigate({ to: `${addressOfAccount(account.id)}terms/` as never })}>
      {t.change}
    </Button>
  )
  return (
    <Panel title={t.terms} actions={change}>
      <Facts
        facts={[
          [names.balance, <Balance key="balance" balance={account.balance} />],
          [t.received, format.money(account.debit)],
          [t.taken, format.money(account.credit)],
          [names.limit, format.money(account.limit)],
          [t.warn, account.warn && format.money(account.warn)],
          [t.warned, account.last_notification_date && format.moment(account.last_notification_date)],
          [t.frozenUntil, account.sleep_date && format.moment(account.sleep_date)],
          [t.bonus, format.money(account.bonus_score)],
          [t.currency, account.currency_code],
          [names.organization, organization?.name],
          [names.created, format.day(account.create_date)],
          [names.comment, account.comment],
        ]}
      />
    </Panel>
  )
}
