import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ask } from '../api/client.ts'
import { useMe } from '../api/me.tsx'
import { Icon } from '../patterns/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import { Choices } from './choices.tsx'
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
      <Menu.Dropdown maw="calc(100vw - 24px)">
        <Menu.Label>{user.username}</Menu.Label>
        <div className={styles.choices}>
          <Choices />
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account/" leftSection={<Icon name="key" size={16} />}>
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

export async function signOut(): Promise<void> {
  await ask('POST /rest_api/logout/').catch(() => {})
  location.assign('/admin/')
}
