import { Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Answer, ask } from '../../api/client.ts'
import { forget, useEndpoint } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { RemoveRecord } from '../dictionaries/remove-record.tsx'
import { orNull, textOf } from '../dictionaries/values.ts'
import { templatesEndpoint, templatesPath } from './templates.tsx'
import { ticketTemplateTexts } from './texts.ts'

const oneEndpoint = 'GET /admin/dictionary/ticket_templates_crud/{id}/'
type Template = Answer<typeof oneEndpoint>
const outdated = [templatesEndpoint, oneEndpoint] as const

/** A new template of an answer, or one that is there, beside the list. */
export default function TicketTemplateForm() {
  const { id } = useParams({ strict: false }) as { id?: string }
  const { data, error } = useEndpoint(oneEndpoint, { path: { id: Number(id ?? 0) } }, { isEnabled: id !== undefined })
  if (error && !data) throw error
  if (id === undefined) return <Fields template={null} />
  return data ? <Fields key={Number(data.id)} template={data} /> : null
}

function Fields({ template }: { readonly template: Template | null }) {
  const t = useTexts(ticketTemplateTexts)
  const navigate = useGo()
  const queries = useQueryClient()
  const back = () => void navigate({ to: templatesPath, search: true as never })
  const form = useSideForm({
    initial: {
      name: textOf(template?.name),
      text_ru: textOf(template?.text_ru),
      text_en: textOf(template?.text_en),
    },
    check: ({ name, text_ru, text_en }) => ({
      ...(name.trim() === '' && { name: t.nameNeeded }),
      ...(text_ru.trim() === '' && text_en.trim() === '' && { text_ru: t.textNeeded }),
    }),
    send: ({ name, text_ru, text_en }) => {
      const body = { name: name.trim(), text_ru: orNull(text_ru), text_en: orNull(text_en) }
      return template
        ? ask('POST /admin/dictionary/ticket_templates_crud/{id}/', { path: { id: Number(template.id) }, body })
        : ask('POST /admin/dictionary/ticket_templates_crud/', { body })
    },
    outdated,
    onDone: ({ name }) => {
      told.done(t.saved(String(name)))
      back()
    },
  })
  const remove = async (id: number) => {
    await ask('DELETE /admin/dictionary/ticket_templates_crud/{id}/', { path: { id } })
    await forget(queries, [templatesEndpoint])
  }
  const text = { maxLength: 10_000, autosize: true, minRows: 5, maxRows: 14 }
  return (
    <SideForm
      title={template ? t.edit(String(template.name)) : t.add}
      backTo={templatesPath}
      action={template ? t.save : t.create}
      form={form}
    >
      <TextInput {...form.field('name')} label={t.name} maxLength={200} data-autofocus />
      <Textarea {...form.field('text_ru')} label={t.russian} {...text} />
      <Textarea {...form.field('text_en')} label={t.english} {...text} />
      {template && (
        <RemoveRecord
          name={String(template.name)}
          says={t.removeSays}
          remove={() => remove(Number(template.id))}
          onDone={back}
        />
      )}
    </SideForm>
  )
}
