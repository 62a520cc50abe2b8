import type { FocusEvent } from 'react'

/** Of a field with a value that is proposed: with the focus it is selected, so that what is typed takes its place. */
export const proposed = {
  onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement>): void => currentTarget.select(),
}
