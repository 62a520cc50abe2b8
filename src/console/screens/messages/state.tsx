import { Button } from '@mantine/core'
import { Pill, type Tone } from '../../patterns/pill.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { messagesTexts } from './texts.ts'
import { type Message, stateTexts } from './words.ts'

const tones = { waiting: 'warning', sent: 'good', failed: 'bad' } as const satisfies Record<Message['state'], Tone>

export function MessageState({ state }: Pick<Message, 'state'>) {
  const t = useTexts(stateTexts)
  return <Pill tone={tones[state]}>{t[state]}</Pill>
}

type ResendProps = Pick<Message, 'id'> & { readonly className?: string | undefined; readonly isCompact?: boolean }

/** Sends a message from the beginning, with the addresses that the subscriber has now. */
export function Resend({ id, className, isCompact = false }: ResendProps) {
  const t = useTexts(messagesTexts)
  const retry = useTold('POST /admin/messages/{id}/retry/', [
    'GET /admin/messages/',
    'GET /admin/messages/mailing/{id}/',
  ])
  const run = () => retry.run({ path: { id } }, t.resent)
  return (
    <Button
      variant="default"
      size={isCompact ? 'compact-sm' : 'sm'}
      {...(className !== undefined && { className })}
      loading={retry.isPending}
      onClick={run}
    >
      {t.resend}
    </Button>
  )
}
