import { Alert, Button, Group, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, Refused } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { forget, useEndpoint } from '../../api/use-endpoint.ts'
import { readSum } from '../../format/money.ts'
import { commonTexts } from '../../frame/texts.ts'
import { Dialog } from '../../patterns/dialog.tsx'
import { useIsThere } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { PromiseDialog } from '../subscribers/many/promise.tsx'
import styles from './accounts.module.css'
import { accountsTexts, accountTexts, bulkTexts } from './texts.ts'
import { type Account, outdatedByAccount } from './use-account.ts'
import { useFocusBack } from '../../patterns/focus-back.ts'

type Action = 'limits' | 'currency' | 'orphans'
type ActionsProps = { readonly marked: readonly Account[]; readonly onDone: () => void }
type Answered = {
  readonly changed: number
  readonly skipped: readonly { readonly id: number; readonly reason: string; readonly code: string }[]
}

/** What may be done with many accounts at once; each that was left as it is follows with the reason. */
export function AccountActions({ marked, onDone }: ActionsProps) {
  const t = useTexts(bulkTexts)
  const may = useMay()
  const [action, setAction] = useState<Action | 'promise' | null>(null)
  const clients = mainClients(marked)
  const hasPromise = may('money') && clients.length > 0
  const offered = ['limits', 'currency', ...(hasPromise ? (['promise'] as const) : []), 'orphans'] as const
  return (
    <>
      {offered.map((one) => (
        <Button
          key={one}
          variant={one === 'orphans' ? 'filled' : 'default'}
          color={one === 'orphans' ? 'red' : 'brand'}
          onClick={() => setAction(one)}
        >
          {t[one]}
        </Button>
      ))}
      {action === 'promise' ? (
        <PromiseDialog meant={{ ids: clients }} onClose={() => setAction(null)} onDone={onDone} />
      ) : (
        action && <ManyForm action={action} marked={marked} onClose={() => setAction(null)} onDone={onDone} />
      )}
    </>
  )
}

type FormProps = ActionsProps & { readonly action: Action; readonly onClose: () => void }

const noValues = { limit: '', warn: '', currency: '' }
type Values = typeof noValues

function ManyForm({ action, marked, onClose, onDone }: FormProps) {
  const t = useTexts(bulkTexts)
  const common = useTexts(commonTexts)
  const [values, setValues] = useState(noValues)
  const { run, isBusy, answered, refusal } = useSending(action, marked, values)
  const close = answered === null ? onClose : onDone
  useFocusBack()
  return (
    <Dialog opened onClose={close} title={t[`${action}Title`]}>
      {refusal !== null && (
        <Alert color="red" role="alert" mb="sm">
          {refusal}
        </Alert>
      )}
      {answered === null ? (
        <>
          <p className={styles.under}>{t.marked(marked.length)}</p>
          <Fields action={action} values={values} onChange={setValues} />
        </>
      ) : (
        <Result answered={answered} />
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          {answered === null ? common.cancel : common.close}
        </Button>
        {answered === null && (
          <Button
            color={action === 'orphans' ? 'red' : 'brand'}
            loading={isBusy}
            disabled={!isReady(action, values)}
            onClick={() => void run()}
          >
            {t.run}
          </Button>
        )}
      </Group>
    </Dialog>
  )
}

function useSending(action: Action, marked: readonly Account[], values: Values) {
  const t = useTexts(bulkTexts)
  const say = useSayRefusal()
  const queries = useQueryClient()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const isThere = useIsThere()
  const [answered, setAnswered] = useState<Answered | null>(null)
  const run = async () => {
    setBusy(true)
    setRefusal(null)
    try {
      const answer = await send(action, marked, values)
      if (!isThere()) told.done(t.done(answer.changed))
      setAnswered(answer)
      await forget(queries, outdatedByAccount)
    } catch (error) {
      if (!isThere()) return told.failed(say(error))
      setRefusal(say(error))
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, answered, refusal }
}

/** The main subscribers of the accounts, by whom a promise is made. */
const mainClients = (marked: readonly Account[]): readonly number[] =>
  marked.flatMap(({ client }) => (client ? [client.id] : []))

function isReady(action: Action, { limit, warn, currency }: Values): boolean {
  if (action === 'currency') return currency !== ''
  if (action === 'orphans') return true
  const isSum = (typed: string) => typed === '' || readSum(typed) !== null
  return (limit !== '' || warn !== '') && isSum(limit) && isSum(warn)
}

async function send(action: Action, marked: readonly Account[], { limit, warn, currency }: Values): Promise<Answered> {
  const ids = marked.map(({ id }) => id)
  const change = 'POST /admin/Abonents/accounts_bulk/'
  if (action === 'currency')
    return ask(change, { body: { ids, action: 'set_currency', currency_id: Number(currency) } })
  if (action === 'orphans') return ask(change, { body: { ids, action: 'delete_orphans' } })
  const limits = Object.entries({ limit, warn }).filter(([, typed]) => typed !== '')
  const read = Object.fromEntries(limits.map(([name, typed]) => [name, readSum(typed) ?? '']))
  return ask(change, { body: { ids, action: 'set_limits', ...read } })
}

type FieldsProps = Pick<FormProps, 'action'> & {
  readonly values: Values
  readonly onChange: (values: Values) => void
}

function Fields({ action, values, onChange }: FieldsProps) {
  const t = useTexts(bulkTexts)
  const accounts = useTexts(accountsTexts)
  const account = useTexts(accountTexts)
  const field = (name: 'limit' | 'warn') => ({
    value: values[name],
    inputMode: 'decimal' as const,
    error: values[name] === '' || readSum(values[name]) !== null ? undefined : account.sumWrong,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange({ ...values, [name]: currentTarget.value }),
  })
  if (action === 'orphans') return <p>{t.orphansSays}</p>
  if (action === 'currency')
    return <CurrencyChoice value={values.currency} onChange={(currency) => onChange({ ...values, currency })} />
  return (
    <>
      <TextInput {...field('limit')} label={`${accounts.limit}, ₽`} data-autofocus />
      <TextInput {...field('warn')} label={`${account.warn}, ₽`} description={t.limitsSays} mt="sm" />
    </>
  )
}

type ChoiceProps = { readonly value: string; readonly onChange: (id: string) => void }

function CurrencyChoice({ value, onChange }: ChoiceProps) {
  const t = useTexts(bulkTexts)
  const { data } = useEndpoint('GET /admin/dictionary/currencies_crud/', { query: { per_page: 1000 } })
  return (
    <Select
      label={t.currency}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      data={(data?.items ?? []).map(({ id, code, name }) => ({ value: String(id), label: `${code} · ${name}` }))}
      data-autofocus
    />
  )
}

function Result({ answered: { changed, skipped } }: { readonly answered: Answered }) {
  const t = useTexts(bulkTexts)
  const accounts = useTexts(accountsTexts)
  const say = useSayRefusal()
  return (
    <div role="status">
      <strong>{t.done(changed)}</strong>
      {skipped.length > 0 && (
        <>
          <p>{t.skipped}:</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keys */}
          <ul className={styles.skipped} tabIndex={0}>
            {skipped.map(({ id, reason, code }) => (
              <li key={id}>
                {accounts.numbered(id)}: {say(new Refused(400, { error: reason, code }, null))}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
