import { Button, Select, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { type Answer, ask, Refused } from '../../api/client.ts'
import { useMayHave } from '../../api/me.tsx'
import { forget, useEndpoint } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { RemoveRecord } from '../dictionaries/remove-record.tsx'
import { orNull, textOf } from '../dictionaries/values.ts'
import { builtInEndpoint, templateEndpoint, templatesEndpoint, templatesPath } from './endpoints.ts'
import { type Part, parts, readLines, textOfLines } from './lines.ts'
import { Places } from './places.tsx'
import { TemplatePreview, useLineFaults } from './preview.tsx'
import { replyTemplateTexts } from './texts.ts'

type Template = Answer<typeof templateEndpoint>
/** What a form begins with: a template that is there, or what a new one is a copy of. */
type Begun = Pick<Template, 'name' | 'nas_type' | 'comment' | Part>

/** A new template, perhaps a copy of another or of what is built in (`?from=`), or one that is there. */
export default function TemplateForm() {
  const { id } = useParams({ strict: false }) as { readonly id?: string }
  const { from = '' } = useSearch({ strict: false }) as { readonly from?: string | number }
  const t = useTexts(replyTemplateTexts)
  const known = id ?? (/^\d+$/.test(String(from)) ? String(from) : undefined)
  const { data, error } = useEndpoint(
    templateEndpoint,
    { path: { id: Number(known ?? 0) } },
    { isEnabled: known !== undefined },
  )
  const shared = useEndpoint(builtInEndpoint, {})
  if (error && !data) throw error
  if (!shared.data || (known !== undefined && !data)) return null
  if (data && id !== undefined) return <Fields key={id} template={data} begun={data} />
  const ofType = shared.data.built_in.find((one) => one.nas_type === from)
  const begun = data
    ? { ...data, name: t.copyOf(String(data.name)) }
    : ofType && { ...ofType, name: t.copyOf(ofType.nas_type), comment: null }
  return <Fields key={`copy of ${from}`} template={null} begun={begun ?? null} />
}

const valuesOf = (begun: Begun | null) => ({
  name: textOf(begun?.name),
  nas_type: textOf(begun?.nas_type ?? 'mikrotik'),
  comment: textOf(begun?.comment),
  accept: textOfLines(begun?.accept),
  garden: textOfLines(begun?.garden),
  coa: textOfLines(begun?.coa),
})

function useTemplateForm(template: Template | null, begun: Begun | null) {
  const t = useTexts(replyTemplateTexts)
  const faults = useLineFaults()
  const navigate = useGo()
  return useSideForm({
    initial: valuesOf(begun),
    check: (values) => ({
      ...(values.name.trim() === '' && { name: t.nameNeeded }),
      ...faults.malformed(values),
    }),
    send: async (values) => {
      // Checked before it is saved, so that a wrong line is said at its list and by its number.
      const errors = await faults.check(values)
      if (Object.keys(errors).length > 0) throw new Refused(400, { code: 'wrong_field', errors }, null)
      const { name, nas_type, comment } = values
      const lists = Object.fromEntries(parts.map((part) => [part, readLines(values[part]).lines]))
      const body = { name: name.trim(), nas_type, comment: orNull(comment), ...lists } as never
      return template
        ? ask('POST /admin/dictionary/nas_templates_crud/{id}/', { path: { id: Number(template.id) }, body })
        : ask('POST /admin/dictionary/nas_templates_crud/', { body })
    },
    outdated: [templatesEndpoint, templateEndpoint],
    onDone: () => {
      told.done(t.saved)
      void navigate({ to: templatesPath })
    },
  })
}

function Fields({ template, begun }: { readonly template: Template | null; readonly begun: Begun | null }) {
  const t = useTexts(replyTemplateTexts)
  const mayChange = useMayHave()({ right: 'settings', isShared: true })
  const form = useTemplateForm(template, begun)
  const { data } = useEndpoint(builtInEndpoint, {})
  const title = template ? t.edit(String(template.name)) : t.add
  return (
    <SideForm
      title={title}
      backTo={templatesPath}
      action={template ? t.save : t.create}
      isOff={!mayChange}
      form={form}
      isWide
    >
      <TextInput {...form.field('name')} label={t.name} maxLength={200} autoComplete="off" data-autofocus />
      <Select {...form.choice('nas_type')} label={t.type} data={(data?.built_in ?? []).map((one) => one.nas_type)} />
      {parts.map((part) => (
        <Textarea
          key={part}
          {...form.field(part)}
          label={t[part]}
          description={t[`${part}Says`]}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          autoCapitalize="off"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.75rem' } }}
        />
      ))}
      <Places />
      <Textarea {...form.field('comment')} label={t.comment} autosize minRows={1} maxLength={10_000} />
      <TemplatePreview texts={form.values} />
      {template && mayChange && <Further template={template} />}
    </SideForm>
  )
}

/** What else is done with a template that is there. */
function Further({ template }: { readonly template: Template }) {
  const t = useTexts(replyTemplateTexts)
  const queries = useQueryClient()
  const navigate = useGo()
  const id = Number(template.id)
  const remove = async () => {
    await ask('DELETE /admin/dictionary/nas_templates_crud/{id}/', { path: { id } })
    await forget(queries, [templatesEndpoint])
  }
  return (
    <>
      <Button component={Link} to={`${templatesPath}new/`} search={{ from: String(id) } as never} variant="default">
        {t.copy}
      </Button>
      <RemoveRecord
        name={String(template.name)}
        says={t.removeSays}
        remove={remove}
        onDone={() => void navigate({ to: templatesPath })}
      />
    </>
  )
}
