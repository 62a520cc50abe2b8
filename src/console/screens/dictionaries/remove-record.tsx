import { Button } from '@mantine/core'
import { useState } from 'react'
import { useConfirm } from '../../patterns/confirm.tsx'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { dictionaryTexts } from './texts.ts'

type RemoveRecordProps = {
  readonly name: string
  /** What comes of it; left out: that only what nobody uses can be deleted. */
  readonly says?: string
  readonly remove: () => Promise<unknown>
  readonly onDone: () => void
}

/** Deletes a record of a dictionary after a question. What is in use stays. */
export function RemoveRecord({ name, says, remove, onDone }: RemoveRecordProps) {
  const t = useTexts(dictionaryTexts)
  const say = useSayRefusal()
  const confirm = useConfirm()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    if (
      !(await confirm({ title: t.removeAsks(name), says: says ?? t.removeSays, action: t.remove, isDangerous: true }))
    )
      return
    setBusy(true)
    try {
      await remove()
      told.done(t.removed)
      onDone()
    } catch (error) {
      told.failed(say(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button variant="subtle" color="red" loading={isBusy} onClick={() => void run()}>
      {t.remove}
    </Button>
  )
}
