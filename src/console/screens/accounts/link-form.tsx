import { ask, Refused } from '../../api/client.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo, useLateConfirm } from '../../patterns/late.ts'
import { SubscriberChoice } from '../../patterns/subscriber-choice.tsx'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountTexts } from './texts.ts'
import { addressOfAccount, outdatedByAccount, useAccount } from './use-account.ts'

/** Moves a subscriber to this account; one on another account is moved when that was confirmed. */
export default function LinkForm() {
  const t = useTexts(accountTexts)
  const navigate = useGo()
  const confirm = useLateConfirm()
  const { account } = useAccount()
  const { id } = account
  const backTo = addressOfAccount(id)
  const link = (abonent_id: number, force: boolean) =>
    ask('POST /admin/Abonents/accounts_link/{id}/', { path: { id }, body: { abonent_id, ...(force && { force }) } })
  const form = useSideForm({
    initial: { abonent_id: null as string | null },
    check: ({ abonent_id }) => (abonent_id === null ? { abonent_id: t.linkNeeded } : {}),
    send: async ({ abonent_id }) => {
      const whom = Number(abonent_id)
      try {
        return await link(whom, false)
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== 'linked_elsewhere') throw error
        if (!(await confirm({ title: t.linkMoves, says: t.linkSays, action: t.move }))) throw error
        return link(whom, true)
      }
    },
    outdated: outdatedByAccount,
    onDone: () => {
      told.done(t.linked)
      void navigate({ to: backTo as never })
    },
  })
  return (
    <SideForm title={t.link} backTo={backTo} action={t.linkAction} form={form}>
      <p>{t.linkSays}</p>
      <SubscriberChoice {...form.choice('abonent_id')} label={t.linkWhom} data-autofocus />
    </SideForm>
  )
}
