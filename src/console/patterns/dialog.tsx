import { Modal, type ModalProps } from '@mantine/core'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { useOnTop } from './layers.ts'

type DialogProps = ModalProps & {
  /** Nobody may go elsewhere before it is answered. */
  readonly isHolding?: boolean
}

/** A dialog in the middle of the screen, which Esc closes when nothing is above it. */
export function Dialog({ isHolding = false, ...props }: DialogProps) {
  const t = useTexts(commonTexts)
  const isOnTop = useOnTop(props.opened, isHolding)
  return <Modal closeOnEscape={isOnTop} closeButtonProps={{ 'aria-label': t.close }} {...props} />
}
