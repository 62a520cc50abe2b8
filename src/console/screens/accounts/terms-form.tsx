import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { ask } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { readSum } from '../../format/money.ts'
import { DateField } from '../../patterns/form/date-field.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { commonTexts } from '../../frame/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountsTexts, accountTexts } from './texts.ts'
import { addressOfAccount, outdatedByAccount, useAccount } from './use-account.ts'

/** The endpoints write moments in the zone of the provider and read those without a zone in the same. */
const minuteOf = (at: string | null): string => at?.slice(0, 16) ?? ''

/** A field has no seconds, so a value that nobody has changed goes back as it came. */
const momentOf = (typed: string, before: string | null): string | null =>
  typed === minuteOf(before) ? before : typed || null

export default function TermsForm() {
  const t = useTexts(accountTexts)
  const names = useTexts(accountsTexts)
  const common = useTexts(commonTexts)
  const { account } = useAccount()
  const form = useTerms()
  const { values, set } = form
  const check = (name: 'unlimited' | 'reset_notification', label: string) => (
    <Checkbox
      name={name}
      label={label}
      checked={values[name]}
      onChange={({ currentTarget }) => set({ [name]: currentTarget.checked })}
    />
  )
  return (
    <SideForm title={t.change} backTo={addressOfAccount(account.id)} action={common.save} form={form}>
      <TextInput {...form.field('limit')} label={`${names.limit}, ₽`} inputMode="decimal" data-autofocus />
      <TextInput {...form.field('warn')} label={`${t.warn}, ₽`} inputMode="decimal" />
      {check('unlimited', names.unlimited)}
      {values.unlimited && <DateField {...form.date('unlimited_date')} label={t.until} description={t.untilSays} />}
      <DateField {...form.date('sleep_date')} label={t.frozenUntil} />
      <TextInput {...form.field('bonus_score')} label={t.bonus} inputMode="decimal" />
      <Textarea {...form.field('comment')} label={names.comment} autosize minRows={2} />
      {account.last_notification_date !== null && check('reset_notification', t.forget)}
    </SideForm>
  )
}

function useTerms() {
  const t = useTexts(accountTexts)
  const format = useFormat()
  const navigate = useGo()
  const { account } = useAccount()
  const { id, limit, warn, unlimited, unlimited_date, sleep_date, bonus_score, comment } = account
  return useSideForm({
    initial: {
      limit: format.typed(limit),
      warn: format.typed(warn ?? ''),
      unlimited,
      unlimited_date: minuteOf(unlimited_date),
      sleep_date: minuteOf(sleep_date),
      bonus_score: format.typed(bonus_score),
      comment: comment ?? '',
      reset_notification: false,
    },
    dates: { unlimited_date: 'minute', sleep_date: 'minute' },
    check: (typed) => ({
      ...(readSum(typed.limit) === null && { limit: t.sumWrong }),
      ...(typed.warn !== '' && readSum(typed.warn) === null && { warn: t.sumWrong }),
      ...(typed.bonus_score !== '' && readSum(typed.bonus_score) === null && { bonus_score: t.sumWrong }),
    }),
    send: (typed) =>
      ask('POST /admin/Abonents/accounts_crud/{id}/', {
        path: { id },
        body: {
          ...typed,
          limit: readSum(typed.limit) ?? '',
          warn: readSum(typed.warn),
          bonus_score: readSum(typed.bonus_score) ?? '0',
          unlimited_date: momentOf(typed.unlimited_date, unlimited_date),
          sleep_date: momentOf(typed.sleep_date, sleep_date),
        },
      }),
    outdated: outdatedByAccount,
    onDone: () => {
      told.done(t.saved)
      void navigate({ to: addressOfAccount(id) as never })
    },
  })
}
