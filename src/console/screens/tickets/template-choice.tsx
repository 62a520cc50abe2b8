import { Select } from '@mantine/core'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useLanguage } from '../../texts/language.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ticketTexts } from './texts.ts'
import styles from './tickets.module.css'

/** Far more than anybody chooses from. */
const templatesMax = 500

const languages = [
  { code: 'ru', text: 'text_ru', title: 'inRussian' },
  { code: 'en', text: 'text_en', title: 'inEnglish' },
] as const

/** The templates of answers by language, that of the reader first: the client may write in another one. */
export function TemplateChoice({ onChoose }: { readonly onChoose: (text: string) => void }) {
  const t = useTexts(ticketTexts)
  const { language } = useLanguage()
  const { data } = useEndpoint('GET /admin/dictionary/ticket_templates_crud/', { query: { per_page: templatesMax } })
  const templates = data?.items ?? []
  if (templates.length === 0) return null
  const own = languages.toSorted((a, b) => Number(b.code === language) - Number(a.code === language))
  const texts = new Map<string, string>()
  const groups = own.map(({ code, text, title }) => ({
    group: t[title],
    items: templates.flatMap((template) => {
      const body = template[text]
      if (typeof body !== 'string') return []
      texts.set(`${template.id} ${code}`, body)
      return [{ value: `${template.id} ${code}`, label: String(template.name) }]
    }),
  }))
  return (
    <Select
      className={styles.template ?? ''}
      aria-label={t.template}
      placeholder={t.template}
      data={groups.filter(({ items }) => items.length > 0)}
      value={null}
      onChange={(value) => value !== null && onChoose(texts.get(value) ?? '')}
      searchable
    />
  )
}
