import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { useFocusBack } from './focus-back.ts'
import { useOnTop } from './layers.ts'
import styles from './patterns.module.css'
import { useTitle } from './title.ts'
import { useWhose } from './whose.ts'

type BesideProps = {
  readonly title: string
  readonly onClose: () => void
  /** In pixels. */
  readonly width?: number
  readonly children: ReactNode
}

const usualWidth = 520

/** One record or a form beside its list, with an address of its own, which Back leaves. */
export function Beside({ title, onClose, width = usualWidth, children }: BesideProps) {
  const { close } = useTexts(commonTexts)
  const whose = useWhose()
  useTitle(title)
  useFocusBack()
  const isOnTop = useOnTop(true)
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={width}
      title={title}
      closeOnEscape={isOnTop}
      closeButtonProps={{ 'aria-label': close }}
      overlayProps={{ backgroundOpacity: 0.2 }}
      // Slid in, it would carry a list that opens at once out of a telephone's window, which grows by that.
      transitionProps={{ transition: 'fade' }}
    >
      {whose !== null && <p className={styles.whose}>{whose}</p>}
      {children}
    </Drawer>
  )
}
