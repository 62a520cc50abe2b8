import { Button, Group, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { ask } from '../../api/client.ts'
import { DateField } from '../../patterns/form/date-field.tsx'
import { FormBody } from '../../patterns/form/form-body.tsx'
import { SendButton } from '../../patterns/form/send-button.tsx'
import { useFormat } from '../../format/format.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { isNarrow } from '../../frame/narrow.ts'
import { useGo } from '../../patterns/late.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Audience, useMeant } from './audience.tsx'
import { channels, type Draft, fields } from './draft.ts'
import { mailingsEndpoint } from './mailing-state.tsx'
import styles from './messages.module.css'
import { Preview, useLooks, useReach } from './preview.tsx'
import { TestSend } from './test-send.tsx'
import { composeTexts, mailingTexts } from './texts.ts'

/** A message to many: whom, what, how many will get it and how it looks, and only then the press that sends it. */
export default function NewMailing() {
  const t = useTexts(composeTexts)
  const format = useFormat()
  const meant = useMeant()
  const form = useMailingForm()
  const { channel, title, text } = form.values
  const draft = { channel, title, text }
  const reach = useReach(meant, channel)
  const looks = useLooks(reach.data, draft)
  const unknown = looks?.unknown ?? []
  const count = reach.data ? reach.data.reached.push + reach.data.reached.sms + reach.data.reached.email : 0
  return (
    <FormBody form={form} head={<PageHead title={useTexts(mailingTexts).new} />}>
      <div className={styles.parts}>
        <div>
          <Audience meant={meant} />
          <MessageFields form={form} unknown={unknown} isNext={meant !== null} />
        </div>
        <div>
          <Preview reach={reach} looks={looks} isChosen={meant !== null} />
          <Group justify="flex-end" mb="md">
            <SendButton isBusy={form.isBusy} disabled={count === 0 || unknown.length > 0}>
              {count === 0 ? t.sendNobody : t.send(format.number(count))}
            </SendButton>
          </Group>
          {meant && <TestSend order={{ ...meant, ...draft }} />}
        </div>
      </div>
    </FormBody>
  )
}

function useMailingForm() {
  const t = useTexts(composeTexts)
  const navigate = useGo()
  const meant = useMeant()
  const initial: Draft & { readonly send_at: string } = { channel: 'auto', title: '', text: '', send_at: '' }
  return useSideForm({
    initial,
    dates: { send_at: 'minute' },
    check: ({ text }) => (text.trim() === '' ? { text: t.needed } : {}),
    send: ({ channel, title, text, send_at }, key) => {
      const more = { ...(title.trim() !== '' && { title }), ...(send_at !== '' && { send_at }) }
      return ask('POST /admin/messages/mailing/', { body: { ...meant, channel, text, ...more }, key })
    },
    outdated: [mailingsEndpoint],
    onDone: ({ mailing }) => void navigate({ to: `/messages/mailings/${mailing?.id}/` as never }),
  })
}

type FieldsProps = {
  readonly form: ReturnType<typeof useMailingForm>
  readonly unknown: readonly string[]
  /** Whom it is for has been chosen, as in the list of subscribers. */
  readonly isNext: boolean
}

function MessageFields({ form, unknown, isNext }: FieldsProps) {
  const t = useTexts(composeTexts)
  const area = useRef<HTMLTextAreaElement>(null)
  const { text, title } = form.values
  const wrong = (of: string) => {
    const names = unknown.map((name) => `{${name}}`).filter((name) => of.includes(name))
    return names.length > 0 && { error: t.unknown(names.join(', ')) }
  }
  const insert = (name: string) => {
    const at = area.current?.selectionEnd ?? text.length
    form.set({ text: `${text.slice(0, at)}{${name}}${text.slice(at)}` })
    area.current?.focus()
  }
  return (
    <Panel title={t.message}>
      <div className={styles.fields}>
        <NativeSelect
          label={t.how}
          data={channels.map((value) => ({ value, label: t[value] }))}
          value={form.values.channel}
          onChange={({ currentTarget }) => form.set({ channel: currentTarget.value as Draft['channel'] })}
        />
        {form.values.channel !== 'sms' && (
          <TextInput
            {...form.field('title')}
            label={t.titleField}
            description={t.titleSays}
            maxLength={200}
            {...wrong(title)}
          />
        )}
        <Textarea
          {...form.field('text')}
          ref={area}
          label={t.text}
          placeholder={t.textHint}
          maxLength={1_000}
          autoFocus={isNext && !isNarrow()}
          autosize
          minRows={4}
          {...wrong(text)}
        />
        <div className={styles.insert}>
          <span className={styles.quiet}>{t.insert}</span>
          {fields.map((name) => (
            <Button key={name} variant="default" size="compact-sm" onClick={() => insert(name)}>
              {t[name]}
            </Button>
          ))}
        </div>
        <DateField {...form.date('send_at')} label={t.sendAt} description={t.sendAtSays} />
      </div>
    </Panel>
  )
}
