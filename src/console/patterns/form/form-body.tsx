import { Alert } from '@mantine/core'
import type { FormEvent, KeyboardEvent, ReactNode, Ref } from 'react'

type FormBodyProps = {
  readonly form: { readonly refusal: string | null; readonly send: () => unknown }
  readonly className?: string | undefined
  readonly ref?: Ref<HTMLFormElement>
  /** Above the sentence of a refusal, such as the head of the page. */
  readonly head?: ReactNode
  readonly children: ReactNode
}

/**
 * The fields of a form. Enter sends them, and why they were refused stands above them. In an open list of choices Enter
 * is about these: what was typed there and is not chosen would be sent as nothing.
 */
export function FormBody({ form, className, ref, head, children }: FormBodyProps) {
  const send = (event: FormEvent) => {
    event.preventDefault()
    void form.send()
  }
  return (
    <form ref={ref} onSubmit={send} onKeyDown={keepOpenChoice} className={className} noValidate>
      {head}
      {form.refusal !== null && (
        <Alert color="red" role="alert" mb="md">
          {form.refusal}
        </Alert>
      )}
      {children}
    </form>
  )
}

function keepOpenChoice(event: KeyboardEvent<HTMLFormElement>): void {
  const isChoice = event.target instanceof HTMLInputElement && event.target.getAttribute('aria-expanded') === 'true'
  if (event.key === 'Enter' && isChoice) event.preventDefault()
}
