import { notifications } from '@mantine/notifications'

/** Said outside of every component, so by the language that the document has. */
const closeButtonProps = {
  get 'aria-label'(): string {
    return document.documentElement.lang === 'en' ? 'Close' : 'Закрыть'
  },
}

/** What became of a deed, told in the corner of the screen and read out. */
export const told = {
  done: (message: string): void =>
    void notifications.show({ message, closeButtonProps, color: 'teal', autoClose: 4_000 }),
  /** What is shown nowhere else, such as a password that was made: it stays until it is closed. */
  kept: (message: string): void =>
    void notifications.show({ message, closeButtonProps, color: 'blue', autoClose: false }),
  failed: (message: string): void =>
    void notifications.show({ message, closeButtonProps, color: 'red', autoClose: 8_000 }),
}
