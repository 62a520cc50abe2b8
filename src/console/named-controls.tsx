import { MantineThemeProvider } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { commonTexts } from './frame/texts.ts'
import { useTexts } from './texts/texts.ts'

/**
 * Gives the buttons that Mantine draws by itself a name in the language that the user has chosen. Who chooses what is
 * chosen already keeps it: there is a button to clear it where it may be empty.
 */
export function NamedControls({ children }: { readonly children: ReactNode }) {
  const { clear, reveal } = useTexts(commonTexts)
  const theme = useMemo(() => {
    const named = { clearButtonProps: { 'aria-label': clear } }
    const [Select, plain] = [{ defaultProps: { ...named, allowDeselect: false } }, { defaultProps: named }]
    const PasswordInput = { defaultProps: { visibilityToggleButtonProps: { 'aria-label': reveal } } }
    return { components: { Select, MultiSelect: plain, Autocomplete: plain, PasswordInput } }
  }, [clear, reveal])
  return (
    <MantineThemeProvider theme={theme} inherit>
      {children}
    </MantineThemeProvider>
  )
}
