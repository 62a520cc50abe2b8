import { Button, Group, Text } from '@mantine/core'
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'

export type Question = {
  readonly title: string
  readonly says?: ReactNode
  /** What the button does, as a verb. */
  readonly action: string
  readonly isDangerous?: boolean
}

type Confirm = (question: Question) => Promise<boolean>

/** Above a form beside the screen, which may be what asks. */
const zIndex = 300

const ConfirmContext = createContext<Confirm>(async () => false)

/** Asks before an action that cannot be undone. The focus stays in the question and then goes back to where it was. */
export const useConfirm = (): Confirm => use(ConfirmContext)

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const t = useTexts(commonTexts)
  const [question, setQuestion] = useState<Question | null>(null)
  const [isOpen, setOpen] = useState(false)
  const answer = useRef<(yes: boolean) => void>(() => {})
  const confirm = useCallback<Confirm>((asked) => {
    setQuestion(asked)
    setOpen(true)
    return new Promise((resolve) => {
      answer.current = resolve
    })
  }, [])
  const say = (yes: boolean) => {
    setOpen(false)
    answer.current(yes)
  }
  return (
    <ConfirmContext value={confirm}>
      {children}
      <Dialog isHolding opened={isOpen} onClose={() => say(false)} title={question?.title} zIndex={zIndex}>
        {question?.says && <Text mb="md">{question.says}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => say(false)}>
            {t.cancel}
          </Button>
          <Button data-autofocus color={question?.isDangerous ? 'red' : 'brand'} onClick={() => say(true)}>
            {question?.action}
          </Button>
        </Group>
      </Dialog>
    </ConfirmContext>
  )
}
