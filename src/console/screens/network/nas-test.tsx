import { Alert, Button, TextInput } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Beside } from '../../patterns/beside.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './network.module.css'
import { reasonTexts } from './sign-in-texts.ts'
import { testTexts } from './texts.ts'

type Tested = Answer<'POST /admin/radius/nas/{id}/test/'>

/** Asks a NAS whether it listens, and shows how a login would be answered there. */
export default function NasTest() {
  const { id } = useParams({ strict: false }) as { id: string }
  const t = useTexts(testTexts)
  const navigate = useNavigate()
  const { data } = useEndpoint('GET /admin/radius/nas/', {})
  const name = data?.items.find((one) => String(one.id) === id)?.name ?? ''
  const [login, setLogin] = useState('')
  const test = useTold('POST /admin/radius/nas/{id}/test/')
  const run = (event: FormEvent) => {
    event.preventDefault()
    const body = login.trim() === '' ? {} : { login: login.trim() }
    test.run({ path: { id: Number(id) }, body })
  }
  return (
    <Beside title={t.title(name)} onClose={() => void navigate({ to: `/network/nas/${id}/` })}>
      <form onSubmit={run} className={styles.card}>
        <TextInput
          name="login"
          label={t.login}
          description={t.loginSays}
          autoComplete="off"
          data-autofocus
          value={login}
          onChange={({ currentTarget }) => setLogin(currentTarget.value)}
        />
        <Button type="submit" loading={test.isPending}>
          {t.run}
        </Button>
      </form>
      {test.data && <Result tested={test.data} />}
    </Beside>
  )
}

function Result({ tested: { probe, decision } }: { readonly tested: Tested }) {
  const t = useTexts(testTexts)
  const format = useFormat()
  const reasons = useTexts(reasonTexts) as Readonly<Record<string, string>>
  const why = ({ result, code, reason }: NonNullable<typeof decision>) =>
    result === 'accept' && code !== null
      ? `${reasons.garden}: ${reasons[code]?.toLowerCase()}`
      : (code !== null && reasons[code]) || (result === 'dropped' ? t.nasOff : reason)
  const isGood = probe.result === 'answered'
  return (
    <div className={styles.card} role="status">
      <h2>{t.probe}</h2>
      <Alert color={isGood ? 'teal' : 'red'}>
        {probe.result === 'answered' ? t.answered(format.number(probe.ms)) : t[probe.result]}
      </Alert>
      {decision && (
        <>
          <h2>{t.decision}</h2>
          <div>
            <Pill tone={decision.result === 'accept' ? 'good' : 'bad'}>{t[decision.result]}</Pill> {why(decision)}
          </div>
          <PlainTable
            label={t.decision}
            rows={decision.attributes.map((one, at) => ({ ...one, at }))}
            rowKey={({ at }) => at}
            none={t.noAttributes}
            columns={[
              { title: t.attribute, cell: ({ name }) => name },
              { title: t.value, cell: ({ value }) => value },
            ]}
          />
        </>
      )}
    </div>
  )
}
