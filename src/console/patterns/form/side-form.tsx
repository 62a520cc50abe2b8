import { Button, Group } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { commonTexts } from '../../frame/texts.ts'
import { FormBody } from './form-body.tsx'
import { SendButton } from './send-button.tsx'
import { Beside } from '../beside.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './form.module.css'
import type { SideFormState } from './use-side-form.ts'

type SideFormProps = {
  readonly title: string
  /** Where the form is closed to, behind `/admin`: the screen it stands beside. */
  readonly backTo: string
  /** What the button does, as a verb. */
  readonly action: string
  readonly isDangerous?: boolean
  /** It cannot be sent now, and the form says why. */
  readonly isOff?: boolean
  /** Where what is typed has long lines. */
  readonly isWide?: boolean
  readonly form: Pick<SideFormState, 'refusal' | 'refused' | 'isBusy' | 'wrong'> & {
    readonly send: () => Promise<void>
  }
  readonly children: ReactNode
}

/**
 * A form beside the screen it belongs to, with an address of its own: Back closes it, and what was typed stays when the
 * server refuses. The screen shows it where it says `<Outlet />`.
 */
export function SideForm(props: SideFormProps) {
  const { title, backTo, action, isDangerous = false, isOff = false, isWide = false, form, children } = props
  const t = useTexts(commonTexts)
  const navigate = useNavigate()
  const close = () => void navigate({ to: backTo, search: true as never })
  return (
    <Beside title={title} onClose={close} width={isWide ? 640 : 460}>
      <FormBody form={form} className={styles.form}>
        {children}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            {t.cancel}
          </Button>
          <SendButton isBusy={form.isBusy} disabled={isOff} color={isDangerous ? 'red' : 'brand'}>
            {action}
          </SendButton>
        </Group>
      </FormBody>
    </Beside>
  )
}
