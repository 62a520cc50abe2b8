import { Button, Group, Modal } from '@mantine/core'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { useCovers } from './covers.ts'
import { Copy } from './copy.tsx'
import styles from './patterns.module.css'
import { useFocusBack } from './focus-back.ts'

type GivenOnceProps = {
  readonly title: string
  /** What it is for, and that it is not shown again. */
  readonly says: string
  /** Each with its name, such as a login and its password. */
  readonly values: readonly (readonly [name: string, value: string])[]
  readonly onClose: () => void
}

/** What was made and is shown only now, such as a password, with a button that copies it. */
export function GivenOnce({ title, says, values, onClose }: GivenOnceProps) {
  const t = useTexts(commonTexts)
  useFocusBack()
  useCovers(true)
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t.close }}>
      <dl className={styles.given}>
        {values.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Copy text={value} />
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.quiet}>{says}</p>
      <Group justify="flex-end" mt="md">
        <Button data-autofocus onClick={onClose}>
          {t.done}
        </Button>
      </Group>
    </Modal>
  )
}
