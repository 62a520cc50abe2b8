import { ActionIcon, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'
import styles from './patterns.module.css'

const shownMs = 1_200

type CopyProps = {
  readonly text: string
  readonly label?: string
  /** The button has the focus when the dialog around it opens. */
  readonly isFirst?: boolean
  readonly onCopied?: () => void
}

/** A value that is often needed elsewhere, with a button that copies it. */
export function Copy({ text, label, isFirst = false, onCopied }: CopyProps) {
  const t = useTexts(commonTexts)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copied(text))) return
    onCopied?.()
    setCopied(true)
    setTimeout(() => setCopied(false), shownMs)
  }
  return (
    <span className={styles.copy}>
      <span>{label ?? text}</span>
      <Tooltip label={isCopied ? t.copied : t.copy}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`${t.copy}: ${text}`}
          data-autofocus={isFirst || undefined}
          onClick={copy}
        >
          <Icon name={isCopied ? 'check' : 'copy'} size={14} />
        </ActionIcon>
      </Tooltip>
    </span>
  )
}

/** Where a browser has no clipboard for scripts, as without TLS, or keeps it from them, it still copies a selection. */
function copied(text: string): Promise<boolean> {
  const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('There is no clipboard'))
  return written.then(
    () => true,
    () => copiedBySelection(text),
  )
}

function copiedBySelection(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  return isDone
}
