import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { useFocusBack } from './focus-back.ts'
import { useTitle } from './title.ts'

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
  useTitle(title)
  useFocusBack()
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={width}
      title={title}
      closeButtonProps={{ 'aria-label': close }}
      overlayProps={{ backgroundOpacity: 0.2 }}
      // Slid in, it would carry a list that opens at once out of a telephone's window, which grows by that.
      transitionProps={{ transition: 'fade' }}
    >
      {children}
    </Drawer>
  )
}
