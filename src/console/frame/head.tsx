import { ActionIcon, Kbd, Tooltip, VisuallyHidden } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { type ComponentProps, useState } from 'react'
import { useFormat } from '../format/format.ts'
import { useLiveState } from '../live/use-live.ts'
import { Icon } from '../patterns/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { frameTexts } from './texts.ts'
import { Notices } from './notices.tsx'
import { UserMenu } from './user-menu.tsx'

type HeadProps = { readonly onMenu: (() => void) | null; readonly onSearch: () => void }

export function Head({ onMenu, onSearch }: HeadProps) {
  const t = useTexts(frameTexts)
  return (
    <header className={styles.head}>
      {onMenu && (
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t.openPlaces} onClick={onMenu}>
          <Icon name="menu" />
        </ActionIcon>
      )}
      <button type="button" className={styles.search} onClick={onSearch} aria-keyshortcuts="Control+K /">
        <Icon name="search" size={16} />
        <span>{t.search}</span>
        <Kbd size="xs" className={styles.wide ?? ''}>
          Ctrl K
        </Kbd>
      </button>
      <div className={styles.headEnd}>
        <Notices />
        <LiveDot />
        {onMenu === null && <Clock />}
        <UserMenu />
      </div>
    </header>
  )
}

/** Whether what is shown is of this moment. */
function LiveDot() {
  const t = useTexts(frameTexts)
  const state = useLiveState()
  const said = { open: t.live, connecting: t.connecting, lost: t.lost }[state]
  return (
    <Tooltip label={said}>
      <span className={styles.live} role="status" data-state={state}>
        <span className={styles.dot} aria-hidden="true" />
        <VisuallyHidden>{said}</VisuallyHidden>
      </span>
    </Tooltip>
  )
}

/** The one time of the office: that of the setting, whatever the computer says. */
function Clock() {
  const { timeZone } = useFormat()
  return (
    <Tooltip label={timeZone}>
      <TimeNow className={`${styles.clock} ${styles.wide}`} />
    </Tooltip>
  )
}

/** By itself, because what stands around it does not change each second. */
function TimeNow(rest: ComponentProps<'time'>) {
  const format = useFormat()
  const [now, setNow] = useState(() => Date.now())
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true })
  return (
    <time {...rest} dateTime={new Date(now).toISOString()}>
      {format.clock(now)} <span className={styles.zone}>{format.zone(now)}</span>
    </time>
  )
}
