import { Button, type ButtonProps, Loader } from '@mantine/core'
import { commonTexts } from '../../frame/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './form.module.css'

type SendButtonProps = Pick<ButtonProps, 'color' | 'disabled' | 'size'> & {
  readonly isBusy: boolean
  /** What it does, as a verb. */
  readonly children: string
}

/** Sends the form that it stands in, and says so as long as that takes. It is as wide all the time. */
export function SendButton({ isBusy, children, ...button }: SendButtonProps) {
  const { sending } = useTexts(commonTexts)
  const [says, other] = isBusy ? [sending, children] : [children, sending]
  return (
    <Button
      {...button}
      type="submit"
      loading={isBusy}
      aria-busy={isBusy}
      classNames={{ root: styles.send ?? '', inner: styles.sendInner ?? '', loader: styles.sendLoader ?? '' }}
    >
      <span className={styles.sendWords} data-other={other}>
        <span>
          {isBusy && <Loader size={12} color="currentColor" aria-hidden="true" />} {says}
        </span>
      </span>
    </Button>
  )
}
