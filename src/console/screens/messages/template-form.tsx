import { Button, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ask, Refused } from '../../api/client.ts'
import { useMayChangeShared } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './messages.module.css'
import { type Template, templatesEndpoint } from './templates.tsx'
import { templateTexts } from './texts.ts'
import { useKindWords } from './words.ts'

const backTo = '/messages/templates/'
const languages = ['ru', 'en'] as const
type Language = (typeof languages)[number]

/** The words of one notice in both languages, and how they look. */
export default function TemplateForm() {
  const { name } = useParams({ strict: false }) as { readonly name: string }
  const { data } = useEndpoint(templatesEndpoint, {})
  const template = data?.items.find((one) => one.name === name)
  return template ? <Fields key={name} template={template} /> : null
}

const titleOf = (language: Language) => `title_${language}` as const
const textOf = (language: Language) => `text_${language}` as const

function useTemplateForm(template: Template) {
  const t = useTexts(templateTexts)
  const navigate = useGo()
  const { name, ru, en } = template
  const initial = { title_ru: ru.title, text_ru: ru.text, title_en: en.title, text_en: en.text }
  return useSideForm({
    initial,
    check: (values) =>
      Object.fromEntries(
        Object.entries(values).map(([field, text]) => [field, text.trim() === '' ? t.needed : '']),
      ) as typeof initial,
    send: async (values) => {
      for (const language of languages) {
        const [title, text] = [values[titleOf(language)], values[textOf(language)]]
        const { usual, ...before } = template[language]
        if (title === before.title && text === before.text) continue
        const isUsual = title === usual.title && text === usual.text
        const body = isUsual ? { language, reset: true } : { language, title, text }
        await ask('POST /admin/messages/template/{name}/', { path: { name }, body }).catch(refusedIn(language))
      }
    },
    outdated: [templatesEndpoint],
    onDone: () => {
      told.done(t.saved)
      void navigate({ to: backTo })
    },
  })
}

/** The endpoint calls the fields of one language alike; the form has both. */
const refusedIn = (language: Language) => (error: unknown) => {
  if (!(error instanceof Refused)) throw error
  const of = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${name}_${language}`, text]))
  const { status, message, code, fields, codes, requestId } = error
  const body = { error: message, ...(code !== null && { code }), errors: of(fields), codes: of(codes) }
  throw new Refused(status, body, requestId)
}

function Fields({ template }: { readonly template: Template }) {
  const t = useTexts(templateTexts)
  const kindOf = useKindWords()
  const form = useTemplateForm(template)
  return (
    <SideForm title={kindOf(template.name)} backTo={backTo} action={t.save} form={form}>
      <p className={styles.quiet}>{t.fields(template.fields.map((name) => `{${name}}`).join(', '))}</p>
      {languages.map((language) => (
        <Words key={language} template={template} language={language} form={form} />
      ))}
    </SideForm>
  )
}

type WordsProps = {
  readonly template: Template
  readonly language: Language
  readonly form: ReturnType<typeof useTemplateForm>
}

function Words({ template, language, form }: WordsProps) {
  const t = useTexts(templateTexts)
  const mayChange = useMayChangeShared()
  const { usual } = template[language]
  const text = form.values[textOf(language)]
  const title = form.values[titleOf(language)]
  const looks = useLooks(template.name, { language, title, text })
  const unknown = looks?.unknown.map((one) => `{${one}}`).join(', ') ?? ''
  return (
    <fieldset className={styles.language} disabled={!mayChange}>
      <legend>{language === 'ru' ? t.russian : t.english}</legend>
      <TextInput {...form.field(titleOf(language))} label={t.heading} maxLength={200} />
      <Textarea
        {...form.field(textOf(language))}
        label={t.text}
        maxLength={1_000}
        autosize
        minRows={2}
        {...(unknown !== '' && { error: t.unknown(unknown) })}
      />
      <p className={styles.words}>
        <span className={styles.quiet}>{t.preview}: </span>
        {looks?.text}
      </p>
      {(title !== usual.title || text !== usual.text) && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => form.set({ [titleOf(language)]: usual.title, [textOf(language)]: usual.text })}
        >
          {t.reset}
        </Button>
      )}
    </fieldset>
  )
}

const typingPauseMs = 250
const previewEndpoint = 'POST /admin/messages/template/{name}/preview/'

/** How what is typed looks. */
function useLooks(name: string, body: { readonly language: Language; readonly title: string; readonly text: string }) {
  const [typed] = useDebouncedValue(body, typingPauseMs)
  const { data } = useQuery({
    queryKey: [previewEndpoint, name, typed],
    queryFn: ({ signal }) => ask(previewEndpoint, { path: { name }, body: typed, signal }),
    enabled: typed.title.trim() !== '' && typed.text.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return data
}
