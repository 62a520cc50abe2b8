import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Panel } from '../../patterns/panel.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Meant } from './audience.tsx'
import styles from './messages.module.css'
import type { Draft } from './draft.ts'
import { composeTexts } from './texts.ts'

/** Sends the message as its first recipient would get it to an address of the user's own. */
export function TestSend({ order: { title, ...order } }: { readonly order: Meant & Draft }) {
  const t = useTexts(composeTexts)
  const [to, setTo] = useState('')
  const send = useTold('POST /admin/messages/mailing/', ['GET /admin/messages/'])
  const run = () => send.run({ body: { ...order, ...(title.trim() !== '' && { title }), test: to.trim() } }, t.testSent)
  return (
    <Panel title={t.test}>
      <div className={styles.test}>
        <TextInput label={t.testTo} value={to} onChange={({ currentTarget }) => setTo(currentTarget.value)} />
        <Button
          variant="default"
          loading={send.isPending}
          disabled={to.trim() === '' || order.text.trim() === ''}
          onClick={run}
        >
          {t.testSend}
        </Button>
      </div>
    </Panel>
  )
}
