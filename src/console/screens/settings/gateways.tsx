import { Alert, Button } from '@mantine/core'
import { useState } from 'react'
import { type Answer, Refused } from '../../api/client.ts'
import { FormBody } from '../../patterns/form/form-body.tsx'
import { SendButton } from '../../patterns/form/send-button.tsx'
import { useMayHave } from '../../api/me.tsx'
import { useEndpoint, useSend } from '../../api/use-endpoint.ts'
import { useIsThere } from '../../patterns/late.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { told } from '../../patterns/told.ts'
import { useLanguage } from '../../texts/language.tsx'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { changesEndpoint, type Setting, settingsEndpoint } from './endpoints.ts'
import { gatewayChapters, settingChapters } from './meanings.ts'
import styles from './settings.module.css'
import { settingTexts } from './texts.ts'
import { typedOf, ValueField } from './value-field.tsx'
import { useSayWrong, useSettingWords } from './words.ts'

const endpoint = 'GET /admin/settings/payment/'
const send = 'POST /admin/settings/payment/'
type Connection = NonNullable<Answer<typeof send>['connection']>
type GatewayName = Connection['gateway']

const gatewayOf: Partial<Record<string, GatewayName>> = { gatewayA: 'gwa', gatewayB: 'gwb' }

/** How clients pay: the settings of both gateways, changed together and tried by a press. */
export default function Gateways() {
  const { data, error } = useEndpoint(endpoint, {})
  if (error && !data) throw error
  const t = useTexts(settingTexts)
  return (
    <>
      <PageHead title={t.gateways} says={t.gatewaysSays} />
      {data && <Fields settings={data.settings} />}
    </>
  )
}

type Typed = Readonly<Record<string, string>>

const fieldsOf = (settings: readonly Setting[]): Typed =>
  Object.fromEntries(settings.map((one) => [one.name, typedOf(one)]))

function Fields({ settings }: { readonly settings: readonly Setting[] }) {
  const t = useTexts(settingTexts)
  const words = useSettingWords()
  const form = useGateways(settings)
  const mayChange = useMayHave()({ right: 'settings', isShared: true })
  return (
    <FormBody form={{ ...form, wrong: Object.keys(form.wrong), send: () => form.save() }}>
      {settingChapters
        .filter(({ name }) => gatewayChapters.includes(name))
        .map(({ name, settings: names }) => (
          <Panel key={name} title={t[name]}>
            <fieldset className={styles.fields} disabled={!mayChange}>
              {settings
                .filter((one) => names.includes(one.name))
                .map((setting) => (
                  <ValueField
                    key={setting.name}
                    setting={setting}
                    label={words.meaning(setting)}
                    value={form.typed[setting.name] ?? ''}
                    error={form.wrong[setting.name]}
                    onChange={(value) => form.type({ [setting.name]: value })}
                  />
                ))}
            </fieldset>
            {mayChange && <Check gateway={gatewayOf[name]} title={t[name]} form={form} />}
          </Panel>
        ))}
      {mayChange && <SendButton isBusy={form.isBusy}>{t.saveAll}</SendButton>}
    </FormBody>
  )
}

type CheckProps = {
  readonly gateway: GatewayName | undefined
  readonly title: string
  readonly form: ReturnType<typeof useGateways>
}

function Check({ gateway, title, form: { connection, isBusy, save } }: CheckProps) {
  const t = useTexts(settingTexts)
  const { language } = useLanguage()
  if (!gateway) return null
  const verdict = connection?.gateway === gateway ? connection : null
  return (
    <>
      <Button variant="default" loading={isBusy} aria-label={`${t.check}: ${title}`} onClick={() => save(gateway)}>
        {t.check}
      </Button>
      <div role="status">
        {verdict && (
          <Alert mt="sm" color={verdict.ok ? 'teal' : 'red'} title={t.checked(title)}>
            {verdict.messages[language]}
          </Alert>
        )}
      </div>
    </>
  )
}

const pick = (fields: Typed, isMeant: (name: string) => boolean): Typed =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isMeant(name)))

/** What was typed, and what became of it. Only what differs is sent; a secret that is left empty stays as it is. */
function useGateways(first: readonly Setting[]) {
  const t = useTexts(settingTexts)
  const say = useSayRefusal()
  const sayWrong = useSayWrong()
  const [settings, setSettings] = useState(first)
  const [typed, setTyped] = useState(() => fieldsOf(first))
  const [wrong, setWrong] = useState<Typed>({})
  const [refusal, setRefusal] = useState<string | null>(null)
  const [refused, setRefused] = useState(0)
  const [connection, setConnection] = useState<Connection | null>(null)
  const mutation = useSend(send, [endpoint, settingsEndpoint, changesEndpoint])
  const isThere = useIsThere()
  const changed = () =>
    Object.fromEntries(
      settings.flatMap((one) => {
        const { [one.name]: value = '' } = typed
        if (value === typedOf(one)) return []
        return [[one.name, one.type === 'decimal' ? value.replace(',', '.') : value]]
      }),
    )
  const save = (check?: GatewayName) => {
    setRefusal(null)
    setConnection(null)
    const body = { ...changed(), ...(check && { check }) }
    mutation.mutate(
      { body: body as never },
      {
        onSuccess: ({ settings: after, connection: found }) => {
          setSettings(after)
          // What was typed since stays.
          const stored = fieldsOf(after)
          setTyped((now) => ({ ...now, ...pick(stored, (name) => now[name] === typed[name]) }))
          setConnection(found ?? null)
          if (!found) told.done(t.saved)
        },
        onError: (error) => {
          if (!isThere()) return told.failed(say(error))
          setWrong(error instanceof Refused ? sayWrong(error, settings) : {})
          setRefusal(say(error))
          setRefused((times) => times + 1)
        },
      },
    )
  }
  return {
    typed,
    type: (change: Typed) => {
      setTyped((before) => ({ ...before, ...change }))
      setWrong({})
    },
    wrong,
    refusal,
    refused,
    connection,
    isBusy: mutation.isPending,
    save,
  }
}
