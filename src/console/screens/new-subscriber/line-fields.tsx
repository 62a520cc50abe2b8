import { Switch, TextInput } from '@mantine/core'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { PoolFields, PortFields } from '../line/fields.tsx'
import { lineTexts } from '../line/texts.ts'
import type { NewForm } from './form.ts'
import styles from './new-subscriber.module.css'
import { newTexts } from './texts.ts'

/** The login with its address, MAC and port. What is left empty is made, or comes from the pool. */
export function LineFields({ form, login }: { readonly form: NewForm; readonly login: string }) {
  const t = useTexts(newTexts)
  const line = useTexts(lineTexts)
  const { hasLogin } = form.values
  const toggle = (
    <Switch
      label={t.hasLogin}
      checked={hasLogin}
      onChange={({ currentTarget }) => form.set({ hasLogin: currentTarget.checked })}
    />
  )
  return (
    <Panel title={t.line} actions={toggle}>
      {hasLogin && (
        <div className={styles.fields}>
          <TextInput
            {...form.field('login.login')}
            label={line.login}
            placeholder={login === '' ? '' : t.proposed(login)}
            autoComplete="off"
          />
          <TextInput
            {...form.field('login.password')}
            label={line.password}
            placeholder={line.passwordMade}
            autoComplete="off"
          />
          <PoolFields
            pool={form.choice('login.pool')}
            ip={form.field('login.ip')}
            onFree={(ip) => form.set({ 'login.ip': ip })}
          />
          <TextInput {...form.field('login.mac')} label={line.mac} placeholder="AA:BB:CC:DD:EE:FF" autoComplete="off" />
          <PortFields device={form.choice('login.switch')} port={form.field('login.port')} />
        </div>
      )}
    </Panel>
  )
}
