import { notifications } from '@mantine/notifications'
import { createElement, type ReactNode } from 'react'

/** Said outside of every component, so by the language that the document has. */
const closeButtonProps = {
  get 'aria-label'(): string {
    return document.documentElement.lang === 'en' ? 'Close' : 'Закрыть'
  },
}

const doneMs = 4_000
const paperMs = 20_000

type Told = { readonly message: ReactNode; readonly color: string; readonly autoClose: number | false }

let last: (Told & { readonly id: string; readonly priority: number }) | null = null

/** Only what was told last is shown. What it covers is shown again afterwards, if there is more to read in it. */
function show(now: Told): string {
  if (last && (last.autoClose === doneMs || last.message === now.message)) notifications.hide(last.id)
  const priority = (last?.priority ?? 0) + 1
  const id = notifications.show({ ...now, closeButtonProps, withBorder: true, priority })
  last = { ...now, id, priority }
  return id
}

/** What became of an action, told in the head of the screen and read out. */
export const told = {
  done: (message: string): void => void show({ message, color: 'teal', autoClose: doneMs }),
  /** What was done for whom, with a paper of it, which is offered long enough to be opened, on other screens too. */
  paper: (message: string, whom: string, paper: { readonly href: string; readonly title: string }): void => {
    const link = createElement('a', { href: paper.href, target: '_blank', rel: 'noopener' }, paper.title)
    const said = createElement('span', {}, `${message} · ${whom}`, createElement('br'), link)
    const id = show({ message: said, color: 'teal', autoClose: false })
    // The time of its own begins anew after each touch.
    setTimeout(() => notifications.hide(id), paperMs)
  },
  /** What is shown nowhere else stays until it is closed. */
  kept: (message: string): void => void show({ message, color: 'blue', autoClose: false }),
  failed: (message: string): void => void show({ message, color: 'red', autoClose: 8_000 }),
}
