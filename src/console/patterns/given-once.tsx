import { Button, Group } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { useConfirm } from './confirm.tsx'
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { useFocusBack } from './focus-back.ts'
import styles from './patterns.module.css'
import { saveFile } from './save-file.ts'

type GivenOnceProps = {
  readonly title: string
  /** What it is for, and that it is not shown again. */
  readonly says: string
  /** Each with its name, such as a login and its password. */
  readonly values: readonly (readonly [name: string, value: string])[]
  /** Its name. The values may be saved in it, and who leaves without having kept them is asked once. */
  readonly file?: string
  readonly onClose: () => void
}

/** What was made and is shown only now, such as a password, with a button that copies it. */
export function GivenOnce({ title, says, values, file, onClose }: GivenOnceProps) {
  const t = useTexts(commonTexts)
  useFocusBack()
  const { keep, mayLeave } = useKept(file === undefined)
  const close = async () => (await mayLeave()) && onClose()
  const save = (name: string) => {
    saveFile(name, `${values.map(([, value]) => value).join('\n')}\n`, 'text/plain')
    keep()
  }
  return (
    <Dialog opened isHolding onClose={() => void close()} title={title}>
      <dl className={styles.given}>
        {values.map(([name, value], at) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {/* Whoever presses Enter once more copies the last one, the secret, and does not lose it. */}
              <Copy text={value} isFirst={at === values.length - 1} onCopied={keep} />
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.quiet}>{says}</p>
      <Group justify="flex-end" mt="md">
        {file !== undefined && (
          <Button variant="default" onClick={() => save(file)}>
            {t.download}
          </Button>
        )}
        <Button onClick={() => void close()}>{t.done}</Button>
      </Group>
    </Dialog>
  )
}

/** Who leaves before anything was kept is asked, also where he leaves by Back or closes the tab. */
function useKept(isKeptAlready: boolean) {
  const t = useTexts(commonTexts)
  const confirm = useConfirm()
  const isKept = useRef(isKeptAlready)
  const mayLeave = async () => {
    if (!isKept.current) isKept.current = await confirm({ title: t.notKept, action: t.leave, isDangerous: true })
    return isKept.current
  }
  useBlocker({
    shouldBlockFn: async () => !(await mayLeave()),
    enableBeforeUnload: () => !isKept.current,
    disabled: isKeptAlready,
  })
  const keep = () => {
    isKept.current = true
  }
  return { keep, mayLeave }
}
