import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { encode } from 'uqr'
import { type Answer, ask } from '../../api/client.ts'
import { Copy } from '../../patterns/copy.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './account.module.css'
import { accountPath, outdatedByFactor } from './endpoints.ts'
import { PresentPassword } from './present-password.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { accountTexts } from './texts.ts'

type Proposal = Answer<'POST /admin/account/totp/'>

/** Codes of an application: the password, then the secret and a first code of it. */
export default function ApplicationForm() {
  const [proposal, setProposal] = useState<Proposal | null>(null)
  return proposal ? <FirstCode proposal={proposal} /> : <Password onProposed={setProposal} />
}

function Password({ onProposed }: { readonly onProposed: (proposal: Proposal) => void }) {
  const t = useTexts(accountTexts)
  const form = useSideForm({
    initial: { current_password: '' },
    check: ({ current_password }) => ({ ...(current_password === '' && { current_password: t.presentNeeded }) }),
    send: (body) => ask('POST /admin/account/totp/', { body }),
    onDone: onProposed,
  })
  return (
    <SideForm title={t.setUp} backTo={accountPath} action={t.next} form={form}>
      <PresentPassword field={form.field('current_password')} />
    </SideForm>
  )
}

function FirstCode({ proposal: { secret, uri } }: { readonly proposal: Proposal }) {
  const t = useTexts(accountTexts)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const form = useSideForm({
    initial: { code: '' },
    check: ({ code }) => ({ ...(!/^\d{6}$/.test(code.replace(/\s/g, '')) && { code: t.codeNeeded }) }),
    send: (body) => ask('POST /admin/account/totp/confirm/', { body }),
    outdated: outdatedByFactor,
    onDone: (answer) => setCodes(answer.recovery_codes),
  })
  if (codes) return <RecoveryCodes codes={codes} />
  return (
    <SideForm title={t.setUp} backTo={accountPath} action={t.turnOn} form={form}>
      <p>{t.scan}</p>
      <QrCode text={uri} />
      <div>
        {t.key}:{' '}
        <span className={styles.key}>
          <Copy text={secret} />
        </span>
      </div>
      <TextInput
        {...form.field('code')}
        label={t.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        data-autofocus
      />
    </SideForm>
  )
}

/** Dark on light in either theme, as cameras want it. */
function QrCode({ text }: { readonly text: string }) {
  const t = useTexts(accountTexts)
  const { data, size } = encode(text)
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg className={styles.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t.qr} shapeRendering="crispEdges">
      <path d={dark.join('')} fill="currentColor" />
    </svg>
  )
}
