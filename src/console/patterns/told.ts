import { notifications } from '@mantine/notifications'
import { createElement } from 'react'

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
  kept: (message: string): void =>
    void notifications.show({ message, closeButtonProps, color: 'blue', autoClose: false }),
  failed: (message: string): void =>
    void notifications.show({ message, closeButtonProps, color: 'red', autoClose: 8_000 }),
}
