import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import { useMayHave } from '../api/me.tsx'
import { useLanguage } from '../texts/language.tsx'

/** Fewer letters stand in nearly every meaning. */
const lettersLeast = 3

const endpoint = 'GET /admin/settings/system/'

export type FoundSetting = { readonly name: string; readonly meaning: string }

/**
 * The settings in whose name or meaning what is typed stands, for who may see them. What they mean is asked for once,
 * when somebody first types so much, and their words come then as well.
 */
export function useFoundSettings(typed: string): readonly FoundSetting[] {
  const maySee = useMayHave()({ right: 'settings' })
  const { language } = useLanguage()
  const text = typed.trim()
  const isAsked = maySee && text.length >= lettersLeast
  const { data } = useQuery({
    queryKey: ['settings to find'],
    queryFn: async ({ signal }) => {
      const [words, { settingTexts }, { settings }] = await Promise.all([
        import('../screens/settings/found.ts'),
        import('../screens/settings/texts.ts'),
        ask(endpoint, { signal }),
      ])
      // Values change, and are not needed.
      return { ...words, settingTexts, settings: settings.map(({ name, description }) => ({ name, description })) }
    },
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  if (!isAsked || !data) return []
  const { foundByChapter, meaningOf, settings, settingTexts } = data
  const said = { language, titles: settingTexts[language] }
  return foundByChapter(settings, text, said).flatMap(({ rows }) =>
    rows.map((one) => ({ name: one.name, meaning: meaningOf(one, language) })),
  )
}
