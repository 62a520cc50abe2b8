import { PasswordInput, Select, TextInput } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { useTexts } from '../../texts/texts.ts'
import type { Setting } from './endpoints.ts'
import { settingTexts } from './texts.ts'
import { useSettingWords } from './words.ts'

/** What any text is right for needs no explanation. */
const plain: readonly Setting['format'][] = ['text', 'some_text']

type ValueFieldProps = {
  readonly setting: Setting
  readonly label: string
  /** What it is called stands beside it already. */
  readonly isTitled?: boolean
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
  readonly isFirst?: boolean
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

/** The field of one setting, by its kind. A secret is empty: what is stored never comes to the browser. */
export function ValueField(props: ValueFieldProps) {
  const { setting, label, isTitled = false, isFirst = false, onChange, ...rest } = props
  const t = useTexts(settingTexts)
  const words = useSettingWords()
  const { name, type, choices, secret } = setting
  const common = { ...(isTitled ? { 'aria-label': label } : { label }), name, autoFocus: isFirst, ...rest }
  if (type === 'boolean' || choices) {
    const data =
      type === 'boolean'
        ? [
            { value: 'true', label: t.yes },
            { value: 'false', label: t.no },
          ]
        : choices!.map((value) => ({ value, label: words.choice(value) }))
    return <Select {...common} data={data} onChange={(value) => onChange(value ?? '')} />
  }
  if (secret)
    return (
      <PasswordInput
        {...common}
        description={t.secretSays}
        placeholder={setting.value === '' ? t.empty : t.set}
        autoComplete="new-password"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  const must = plain.includes(setting.format) ? undefined : words.must(setting)
  // What it must be is said once, and where a value is not, in the colour of what is wrong.
  const isSaid = must !== undefined && rest.error === must
  return (
    <TextInput
      {...common}
      {...(isSaid && { error: true, descriptionProps: { c: 'var(--bad)' } })}
      description={must}
      inputMode={type === 'integer' ? 'numeric' : type === 'decimal' ? 'decimal' : 'text'}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** What a field begins with. */
export const typedOf = ({ value, secret }: Setting): string => (secret ? '' : String(value))
