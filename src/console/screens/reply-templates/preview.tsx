import { NumberInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, ask } from '../../api/client.ts'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Part, parts, readLines } from './lines.ts'
import { templateFaultTexts } from './faults.ts'
import styles from './templates.module.css'
import { replyTemplateTexts } from './texts.ts'

const previewEndpoint = 'POST /admin/radius/templates_preview/'
type Preview = Answer<typeof previewEndpoint>
type Texts = Readonly<Record<Part, string>>
type Wrong = Partial<Record<Part, string>>

const sampleMbit = 100
const waitMs = 300

const linesOf = (texts: Texts) =>
  Object.fromEntries(parts.map((part) => [part, readLines(texts[part]).lines])) as Record<
    Part,
    ReturnType<typeof readLines>['lines'][number][]
  >

/** What is wrong with the lists, each by its name, as the server would refuse them. */
export function useLineFaults() {
  const t = useTexts(replyTemplateTexts)
  const says = useTexts(templateFaultTexts)
  const malformed = (texts: Texts): Wrong =>
    Object.fromEntries(
      parts.flatMap((part) => {
        const { wrong } = readLines(texts[part])
        return wrong === null ? [] : [[part, t.lineForm(wrong)]]
      }),
    )
  const told = (texts: Texts, { wrong }: Preview): Wrong =>
    wrong === null
      ? {}
      : {
          [wrong.part]: t.lineWrong(
            readLines(texts[wrong.part]).numbers[wrong.line] ?? 1,
            says[wrong.code](wrong.about),
          ),
        }
  /** Asks the server about lists that are well written. */
  const check = async (texts: Texts): Promise<Wrong> =>
    told(texts, await ask(previewEndpoint, { body: linesOf(texts) }))
  return { malformed, told, check }
}

/** The attributes that the lists come to at a speed, asked for while one types. */
export function TemplatePreview({ texts }: { readonly texts: Texts }) {
  const t = useTexts(replyTemplateTexts)
  const faults = useLineFaults()
  const [sample, setSample] = useState({ down: sampleMbit, up: sampleMbit, vlan: 0 })
  const [settled] = useDebouncedValue({ texts, sample }, waitMs)
  const body = {
    ...linesOf(settled.texts),
    down_kbit: settled.sample.down * 1000,
    up_kbit: settled.sample.up * 1000,
    vlan: settled.sample.vlan,
  }
  const isWritten = Object.keys(faults.malformed(settled.texts)).length === 0
  const { data } = useQuery({
    queryKey: [previewEndpoint, body],
    queryFn: ({ signal }) => ask(previewEndpoint, { body, signal }),
    enabled: isWritten,
    placeholderData: keepPreviousData,
  })
  const wrong = data && isWritten ? Object.values(faults.told(settled.texts, data)).join(' ') : ''
  const number = (name: keyof typeof sample, label: string, max: number) => (
    <NumberInput
      label={label}
      value={sample[name]}
      min={0}
      max={max}
      clampBehavior="strict"
      allowDecimal={false}
      hideControls
      onChange={(value) => setSample({ ...sample, [name]: Number(value) })}
    />
  )
  return (
    <section className={styles.preview} aria-label={t.preview}>
      <h2>{t.preview}</h2>
      <div className={styles.samples}>
        {number('down', t.down, 2_000_000)}
        {number('up', t.up, 2_000_000)}
        {number('vlan', 'VLAN', 4094)}
      </div>
      <p role="status">{wrong}</p>
      {data && wrong === '' && (
        <>
          <Packet title={t.accept} lines={data.accept} none={t.nothing} />
          <Packet title={t.gardenPacket} lines={data.garden} none={t.nothing} />
          <Packet title={t.coa} lines={data.coa} none={t.noCoa} />
        </>
      )}
    </section>
  )
}

type PacketProps = { readonly title: string; readonly lines: Preview['accept']; readonly none: string }

function Packet({ title, lines, none }: PacketProps) {
  const t = useTexts(replyTemplateTexts)
  return (
    <div>
      <h3>{title}</h3>
      <PlainTable
        label={title}
        rows={lines.map((line, at) => ({ ...line, at }))}
        rowKey={({ at }) => at}
        none={none}
        columns={[
          { title: t.attribute, cell: ({ name }) => name },
          { title: t.value, cell: ({ value }) => value },
        ]}
      />
    </div>
  )
}
