import { MantineThemeProvider } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { commonTexts } from './frame/texts.ts'
import { useTexts } from './texts/texts.ts'

/** Gives the buttons that Mantine draws by itself a name in the language that the user has chosen. */
export function NamedControls({ children }: { readonly children: ReactNode }) {
  const { clear } = useTexts(commonTexts)
  const theme = useMemo(() => {
    const named = { defaultProps: { clearButtonProps: { 'aria-label': clear } } }
    return { components: { Select: named, MultiSelect: named, Autocomplete: named } }
  }, [clear])
  return (
    <MantineThemeProvider theme={theme} inherit>
      {children}
    </MantineThemeProvider>
  )
}
