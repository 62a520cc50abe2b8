import { Alert, Button, Drawer, TextInput } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { useDoor } from '../../api/use-door.ts'
import { commonTexts } from '../../frame/texts.ts'
import { useFormat } from '../../format/format.ts'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTitle } from '../../patterns/title.ts'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './network.module.css'
import { testTexts } from './texts.ts'

type Tested = Answer<'POST /admin/radius/nas/{id}/test/'>

/** Asks a NAS whether it listens, and shows how a login would be answered there. */
export default function NasTest() {
  const { id } = useParams({ strict: false }) as { id: string }
  const t = useTexts(testTexts)
  const common = useTexts(commonTexts)
  const navigate = useNavigate()
  const { data } = useDoor('GET /admin/radius/nas/', {})
  const name = data?.items.find((one) => String(one.id) === id)?.name ?? ''
  const [login, setLogin] = useState('')
  const test = useTold('POST /admin/radius/nas/{id}/test/')
  useTitle(t.title(name))
  const run = (event: FormEvent) => {
    event.preventDefault()
    const body = login.trim() === '' ? {} : { login: login.trim() }
    test.run({ path: { id: Number(id) }, body })
  }
  return (
    <Drawer
      opened
      onClose={() => void navigate({ to: `/network/nas/${id}/` })}
      position="right"
      size={520}
      title={t.title(name)}
      closeButtonProps={{ 'aria-label': common.close }}
      overlayProps={{ backgroundOpacity: 0.2 }}
    >
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
    </Drawer>
  )
}

function Result({ tested: { probe, decision } }: { readonly tested: Tested }) {
  const t = useTexts(testTexts)
  const format = useFormat()
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
            <Pill tone={decision.result === 'accept' ? 'good' : 'bad'}>{t[decision.result]}</Pill> {decision.reason}
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
