import type { FocusEvent } from 'react'

/** Of a field with a sum that is proposed: with the focus it is selected, so that what is typed takes its place. */
export const proposedSum = {
  inputMode: 'decimal',
  autoComplete: 'off',
  onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement>): void => currentTarget.select(),
} as const
