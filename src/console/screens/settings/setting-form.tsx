import { Button, Group } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Refused } from '../../api/client.ts'
import { useEndpoint, useSend } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useIsThere } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { FormBody } from '../../patterns/form/form-body.tsx'
import { SendButton } from '../../patterns/form/send-button.tsx'
import { useTexts } from '../../texts/texts.ts'
import { changesEndpoint, type Setting, settingsEndpoint } from './endpoints.ts'
import styles from './settings.module.css'
import { settingTexts } from './texts.ts'
import { typedOf, ValueField } from './value-field.tsx'
import { useSayWrong, useSettingWords } from './words.ts'

/** Who has changed anything besides the settings themselves shows their effect. */
const outdated = [settingsEndpoint, changesEndpoint, 'GET /admin/me/', 'GET /admin/jobs/'] as const

/** What is wrong with a value that was sent. */
type Wrong = { readonly of: string; readonly field?: string; readonly whole?: string }

/** What is typed for a setting, what is wrong with it, and the sending. */
function useSetting(setting: Setting, onClose: () => void) {
  const t = useTexts(settingTexts)
  const say = useSayRefusal()
  const words = useSettingWords()
  const sayWrong = useSayWrong()
  const [value, setValue] = useState(typedOf(setting))
  const [wrong, setWrong] = useState<Wrong>({ of: '' })
  const [refused, setRefused] = useState(0)
  const send = useSend('POST /admin/settings/system/', outdated)
  const isThere = useIsThere()
  const { name } = setting
  const save = (sent: string | number | boolean) =>
    send.mutate(
      { body: { [name]: sent } },
      {
        onSuccess: ({ settings }) => {
          const stored = settings.find((one) => one.name === name)
          told.done(stored ? t.savedAs(name, words.value(stored, stored.value)) : t.saved)
          // Another form may be open in place of this one.
          if (isThere()) onClose()
        },
        onError: (error) => {
          if (!isThere()) return told.failed(say(error))
          const { [name]: field } = error instanceof Refused ? sayWrong(error, [setting]) : {}
          setWrong({ of: value, ...(field === undefined ? { whole: say(error) } : { field }) })
          setRefused((times) => times + 1)
        },
      },
    )
  const { field, whole }: Partial<Wrong> = wrong.of === value ? wrong : {}
  const form = { refusal: whole ?? null, refused, wrong: field === undefined ? [] : [name], isBusy: send.isPending }
  return { value, type: setValue, error: field, form, save }
}

/** A setting in its place: its value, what it must be, and who changed it before. */
export function SettingForm({ setting, onClose }: { readonly setting: Setting; readonly onClose: () => void }) {
  const t = useTexts(settingTexts)
  const words = useSettingWords()
  const { value, type, error, form, save } = useSetting(setting, onClose)
  const place = useRef<HTMLDivElement>(null)
  // Opened at the lower edge of the window, its buttons would be below it.
  useEffect(() => {
    void place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const submit = () => save(setting.type === 'decimal' ? value.replace(',', '.') : value)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
  }
  return (
    <div ref={place}>
      <FormBody form={{ ...form, send: submit }} className={styles.form}>
        <ValueField
          setting={setting}
          label={words.meaning(setting)}
          isTitled
          value={value}
          error={error}
          isFirst
          onChange={type}
          onKeyDown={onKeyDown}
        />
        <Group gap="xs">
          <SendButton isBusy={form.isBusy} size="compact-md" disabled={setting.secret && value === ''}>
            {t.save}
          </SendButton>
          {setting.value !== setting.default && (
            <Button variant="default" size="compact-md" disabled={form.isBusy} onClick={() => save(setting.default)}>
              {t.reset}
            </Button>
          )}
          <Button variant="subtle" size="compact-md" onClick={onClose}>
            {t.cancel}
          </Button>
        </Group>
        <History setting={setting} />
      </FormBody>
    </div>
  )
}

const historyShown = 5

function History({ setting }: { readonly setting: Setting }) {
  const t = useTexts(settingTexts)
  const words = useSettingWords()
  const format = useFormat()
  const { data } = useEndpoint(changesEndpoint, { query: { name: setting.name } })
  if (!data || data.items.length === 0) return null
  return (
    <section className={styles.history} aria-label={t.history}>
      {data.items.slice(0, historyShown).map(({ at, user, before, after }) => (
        <p key={at}>
          {t.changedBy(user ?? t.nobody, format.moment(at))}:{' '}
          {t.from(words.value(setting, before), words.value(setting, after))}
        </p>
      ))}
    </section>
  )
}
