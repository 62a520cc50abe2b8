import { ActionIcon, Menu, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { ask } from '../api/client.ts'
import { useMe } from '../api/me.tsx'
import { Icon } from '../patterns/icon.tsx'
import { useLanguage } from '../texts/language.tsx'
import { type Language, useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { frameTexts } from './texts.ts'

export function UserMenu() {
  const t = useTexts(frameTexts)
  const { user, version } = useMe()
  return (
    <Menu position="bottom-end" width={260} shadow="md" keepMounted={false}>
      <Menu.Target>
        <ActionIcon variant="default" radius="xl" size="lg" aria-label={t.user(user.username)}>
          <Icon name="user" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.username}</Menu.Label>
        <Choices />
        <Menu.Divider />
        <Menu.Item component="a" href="/admin/account/" leftSection={<Icon name="key" size={16} />}>
          {t.account}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={signOut}>
          {t.signOut}
        </Menu.Item>
        <Menu.Label>Tollgate {version}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  )
}

function Choices() {
  const t = useTexts(frameTexts)
  const { language, choose } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <div className={styles.choices}>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t.language}
        value={language}
        onChange={(chosen) => choose(chosen as Language)}
        data={[
          { value: 'ru', label: 'Русский' },
          { value: 'en', label: 'English' },
        ]}
      />
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t.theme}
        value={colorScheme}
        onChange={(chosen) => setColorScheme(chosen as typeof colorScheme)}
        data={[
          { value: 'light', label: t.light },
          { value: 'dark', label: t.dark },
          { value: 'auto', label: t.system },
        ]}
      />
    </div>
  )
}

async function signOut(): Promise<void> {
  await ask('POST /rest_api/logout/').catch(() => {})
  location.assign('/admin/')
}
