import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useLanguage } from '../texts/language.tsx'
import { type Language, useTexts } from '../texts/texts.ts'
import { frameTexts } from './texts.ts'

/** Language and theme, which the browser remembers. */
export function Choices() {
  const t = useTexts(frameTexts)
  const { language, choose } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t.language}
        value={language}
        onChange={(chosen) => choose(chosen as Language)}
        data={[
          { value: 'ru', label: 'Русский' },
          { value: 'en', label: 'English' },
        ]}
      />
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t.theme}
        value={colorScheme}
        onChange={(chosen) => setColorScheme(chosen as typeof colorScheme)}
        data={[
          { value: 'light', label: t.light },
          { value: 'dark', label: t.dark },
          { value: 'auto', label: t.system },
        ]}
      />
    </>
  )
}
