import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { commonTexts } from '../../frame/texts.ts'
import { type DateKind, dateText, isDate, readDate } from '../../format/typed-dates.ts'
import { useLanguage } from '../../texts/language.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
import styles from './form.module.css'

type DateFieldProps = Omit<TextInputProps, 'value' | 'onChange' | 'type'> & {
  readonly kind: DateKind
  /** As endpoints take it; what is typed and no date is handed over as it is, so that the form can say so. */
  readonly value: string
  readonly earliest?: string | undefined
  readonly latest?: string | undefined
  readonly onChange: (value: string) => void
}

/**
 * A day, or a minute of one, typed as the console writes it everywhere. The field of browsers has the order of day and
 * month of the browser's language, which may be another one; of that there is the calendar alone, which has no order.
 */
export function DateField({ kind, value, earliest, latest, error, onChange, ...props }: DateFieldProps) {
  const t = useTexts(commonTexts)
  const { language } = useLanguage()
  const [typed, setTyped] = useState(dateText(kind, value, language))
  const [isLeft, setLeft] = useState(false)
  const calendar = useRef<HTMLInputElement>(null)
  const endpointText = (text: string): string => readDate(kind, text) ?? text
  useEffect(() => {
    // What is being typed is not written anew under the hand.
    setTyped((text) => ((readDate(kind, text) ?? text) === value ? text : dateText(kind, value, language)))
  }, [kind, value, language])
  const change = (text: string) => {
    setTyped(text)
    setLeft(false)
    onChange(endpointText(text))
  }
  const leave = () => {
    setTyped(dateText(kind, value, language))
    setLeft(true)
  }
  const isWrong = isLeft && value !== '' && !isDate(kind, value)
  return (
    <TextInput
      {...props}
      value={typed}
      placeholder={kind === 'day' ? t.dayPattern : t.minutePattern}
      autoComplete="off"
      maxLength={20}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onBlur={leave}
      error={error || (isWrong && (kind === 'day' ? t.dayWrong : t.minuteWrong))}
      rightSectionWidth={44}
      rightSectionPointerEvents="all"
      rightSection={
        <span className={styles.calendar}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.calendar}
            title={t.calendar}
            onClick={() => calendar.current?.showPicker()}
          >
            <Icon name="calendar" size={16} />
          </ActionIcon>
          <input
            ref={calendar}
            type={kind === 'day' ? 'date' : 'datetime-local'}
            aria-hidden="true"
            tabIndex={-1}
            value={readDate(kind, typed) ?? ''}
            min={earliest}
            max={latest}
            onChange={({ currentTarget }) => change(dateText(kind, currentTarget.value, language))}
          />
        </span>
      }
    />
  )
}
