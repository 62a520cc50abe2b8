import { notifications } from '@mantine/notifications'
import { createElement, type ReactNode } from 'react'
import { Copy } from './copy.tsx'

/** Said outside of every component, so by the language that the document has. */
const closeButtonProps = {
  get 'aria-label'(): string {
    return document.documentElement.lang === 'en' ? 'Close' : 'Закрыть'
  },
}

/** What became of an action, told in the corner of the screen and read out. */
export const told = {
  done: (message: string): void =>
    void notifications.show({ message, closeButtonProps, color: 'teal', autoClose: 4_000 }),
  /** What was done, with a paper of it, which stays long enough to be opened. */
  paper: (message: string, paper: { readonly href: string; readonly title: string }): void => {
    const link = createElement('a', { href: paper.href, target: '_blank', rel: 'noopener' }, paper.title)
    const said = createElement('span', {}, message, createElement('br'), link)
    notifications.show({ message: said, closeButtonProps, color: 'teal', autoClose: 20_000 })
  },
  /** What is shown nowhere else stays until it is closed. */
  kept: (message: ReactNode): void =>
    void notifications.show({ message, closeButtonProps, color: 'blue', autoClose: false }),
  /** The same of what somebody has to be given, such as a password that was made, with a button that copies it. */
  given: (message: string, text: string): void => told.kept(createElement(Copy, { text, label: message })),
  failed: (message: string): void =>
    void notifications.show({ message, closeButtonProps, color: 'red', autoClose: 8_000 }),
}
