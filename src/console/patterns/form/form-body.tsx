import { Alert } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react'

type Form = {
  readonly refusal: string | null
  readonly send: () => unknown
  /** It is being sent. */
  readonly isBusy?: boolean
  /** How often it was refused, and the names of the wrong fields. */
  readonly refused?: number
  readonly wrong?: readonly string[]
}

type FormBodyProps = {
  readonly form: Form
  readonly className?: string | undefined
  /** Above the sentence of a refusal, such as the head of the page. */
  readonly head?: ReactNode
  readonly children: ReactNode
}

/**
 * The fields of a form. Enter sends them, and why they were refused stands above them; the first wrong field has the
 * focus then. In an open list of choices Enter is about these: what was typed there and is not chosen would be sent as
 * nothing.
 */
export function FormBody({ form, className, head, children }: FormBodyProps) {
  const place = useRef<HTMLFormElement>(null)
  useShownRefusal(place, form)
  const send = (event: FormEvent) => {
    event.preventDefault()
    void form.send()
  }
  return (
    <form
      ref={place}
      onSubmit={send}
      onKeyDown={keepOpenChoice}
      className={className}
      noValidate
      aria-busy={form.isBusy ?? false}
    >
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

/** Who has pressed below everything else, as on a telephone, sees that and why it was refused. */
function useShownRefusal(place: RefObject<HTMLFormElement | null>, { refusal, refused = 0, wrong = [] }: Form): void {
  const seen = useRef(0)
  useEffect(() => {
    if (refused === seen.current) return
    seen.current = refused
    const field = firstWrong(place.current, wrong)
    if (field !== null) field.focus()
    else if (refusal !== null) place.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' })
  }, [place, refused, refusal, wrong])
}

/** A choice has its name on a hidden field behind the one that people see. */
function firstWrong(form: HTMLFormElement | null, wrong: readonly string[]): HTMLElement | null {
  const named = wrong.map((name) => `[name="${name}"]`).join(', ')
  const field = named === '' ? null : (form?.querySelector<HTMLInputElement>(named) ?? null)
  if (field?.type !== 'hidden') return field
  return field.previousElementSibling?.querySelector<HTMLElement>('input:not([type="hidden"])') ?? null
}

function keepOpenChoice(event: KeyboardEvent<HTMLFormElement>): void {
  const isChoice = event.target instanceof HTMLInputElement && event.target.getAttribute('aria-expanded') === 'true'
  if (event.key === 'Enter' && isChoice) event.preventDefault()
}
