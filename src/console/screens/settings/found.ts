import type { Language } from '../../../domain/language.ts'
import { plain } from '../../texts/plain.ts'
import type { Setting } from './endpoints.ts'
import { type ChapterName, meaningsInRussian, settingChapters } from './meanings.ts'

type Described = Pick<Setting, 'name' | 'description'>

/** The language of the screen, and what the chapters are called in it. */
type Said = { readonly language: Language; readonly titles: Readonly<Record<ChapterName, string>> }

/** What a setting means, in a language. */
export const meaningOf = ({ name, description }: Described, language: Language): string =>
  language === 'ru' ? meaningsInRussian[name] : description

/**
 * The settings in whose name, meaning or chapter each of the typed words stands, chapter by chapter; all of them where
 * nothing is typed.
 */
export function foundByChapter<S extends Described>(
  all: readonly S[],
  typed: string,
  { language, titles }: Said,
): readonly { readonly name: ChapterName; readonly rows: readonly S[] }[] {
  const asked = plain(typed.trim()).split(/\s+/)
  return settingChapters.map(({ name, settings }) => ({
    name,
    rows: all.filter((one) => {
      if (!settings.includes(one.name)) return false
      const text = plain([one.name, meaningOf(one, language), one.description, titles[name]].join(' '))
      return asked.every((word) => text.includes(word))
    }),
  }))
}
