import { TextInput, type TextInputProps } from '@mantine/core'
import { Icon } from '../icon.tsx'

type SearchFieldProps = Pick<TextInputProps, 'className' | 'rightSection' | 'type'> & {
  readonly label: string
  readonly typed: string
  readonly onType: (typed: string) => void
}

/** The field of the filter `q`, with what `useTypedFilter` says is typed. */
export const SearchField = ({ label, typed, onType, ...props }: SearchFieldProps) => (
  <TextInput
    aria-label={label}
    placeholder={label}
    leftSection={<Icon name="search" size={16} />}
    value={typed}
    onChange={({ currentTarget }) => onType(currentTarget.value)}
    {...props}
  />
)
