import { TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { ask } from '../../../api/client.ts'
import { useFormat } from '../../../format/format.ts'
import { isMac } from '../../../format/mac.ts'
import { SideForm } from '../../../patterns/form/side-form.tsx'
import { useSideForm } from '../../../patterns/form/use-side-form.ts'
import { useGo } from '../../../patterns/late.ts'
import { told } from '../../../patterns/told.ts'
import { useTexts } from '../../../texts/texts.ts'
import styles from './logins.module.css'
import { type SeenMac, useSeenMacs } from './seen-macs.ts'
import { loginTexts, macTexts } from './texts.ts'
import { type Login, outdatedByLogin, useLogin } from './use-login.ts'

/** The MAC of a login: typed, or taken from where one was seen. */
export default function MacForm() {
  const { login, abonent, backTo } = useLogin()
  return login ? <Fields login={login} abonent={abonent} backTo={backTo} /> : null
}

type FieldsProps = { readonly login: Login; readonly abonent: number; readonly backTo: string }

function Fields({ login, abonent, backTo }: FieldsProps) {
  const t = useTexts(macTexts)
  const says = useTexts(loginTexts)
  const navigate = useGo()
  const { mac: asked } = useSearch({ strict: false }) as { readonly mac?: string }
  const form = useSideForm({
    initial: { mac: asked ?? login.mac ?? '' },
    check: ({ mac }) => (mac.trim() === '' || isMac(mac) ? {} : { mac: says.macWrong }),
    send: ({ mac }) =>
      ask('POST /admin/Abonents/logins_crud/{id}/', {
        path: { id: login.id },
        body: { mac: mac.trim() === '' ? null : mac.trim() },
      }),
    outdated: outdatedByLogin,
    onDone: (answer) => {
      const mac = 'login' in answer ? answer.login.mac : null
      told.done(mac === null ? t.removed : t.saved(mac))
      void navigate({ to: backTo })
    },
  })
  const isAnother = login.mac !== null && form.values.mac.trim().toLowerCase() !== login.mac
  return (
    <SideForm title={t.title(login.login)} backTo={backTo} action={says.save} form={form}>
      <TextInput
        {...form.field('mac')}
        label={t.mac}
        placeholder="aa:bb:cc:dd:ee:ff"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <p>
        {t.says} {isAnother && login.mac !== null && t.replaces(login.mac)}
      </p>
      <Seen macs={useSeenMacs(abonent, login.mac)} isBusy={form.isBusy} onTake={(mac) => void form.send({ mac })} />
    </SideForm>
  )
}

type SeenProps = {
  readonly macs: readonly SeenMac[]
  readonly isBusy: boolean
  readonly onTake: (mac: string) => void
}

/** One press takes an address and saves it. */
function Seen({ macs, isBusy, onTake }: SeenProps) {
  const t = useTexts(macTexts)
  const format = useFormat()
  if (macs.length === 0) return null
  return (
    <section className={styles.seen}>
      <h3>{t.seen}</h3>
      <ul>
        {macs.map(({ mac, where, at, nas }) => (
          <li key={mac}>
            <button type="button" className={styles.candidate} disabled={isBusy} onClick={() => onTake(mac)}>
              <code>{mac}</code>
              <span>{[t[where], nas, format.moment(at)].filter(Boolean).join(' · ')}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
