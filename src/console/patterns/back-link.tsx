import { Tooltip } from '@mantine/core'
import { Link, useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { Icon } from './icon.tsx'
import { linkOf } from './list/address.ts'
import styles from './patterns.module.css'
import { useHistoryIndex, wayBack } from './way-back.ts'

/** Where a screen belongs, such as its list: an address of the console, and what a reader calls the way there. */
export type Back = {
  readonly to: string
  readonly label: string
  /** The address of the record with all its screens, where it is not within the list. */
  readonly own?: string
}

/**
 * The way from a screen to the list it belongs to, before its title. Whoever has come from there goes back in the
 * history, so that the list is as it was; otherwise it has the filters that it had last.
 */
export function BackLink({ to, label, own }: Back) {
  const { history } = useRouter()
  const at = useHistoryIndex()
  const list = to.split('?')[0] ?? ''
  const way = wayBack(list, at, own)
  const goBack = (event: MouseEvent) => {
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0
    if (isElsewhere || way === null || way.steps === null) return
    event.preventDefault()
    history.go(way.steps)
  }
  return (
    <Tooltip label={label}>
      <Link
        {...linkOf(way === null ? to : list + way.search)}
        className={styles.back ?? ''}
        aria-label={label}
        onClick={goBack}
      >
        <Icon name="back" />
      </Link>
    </Tooltip>
  )
}
