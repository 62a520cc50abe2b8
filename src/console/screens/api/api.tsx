import { Button, Select, Skeleton } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Empty } from '../../patterns/empty.tsx'
import { Icon } from '../../patterns/icon.tsx'
import { useAddressFilters } from '../../patterns/list/address.ts'
import { SearchField } from '../../patterns/list/search-field.tsx'
import { useTypedFilter } from '../../patterns/list/typed-filter.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './api.module.css'
import { type ApiDocument, type Operation, operationsOf } from './document.ts'
import { OperationLine } from './operation.tsx'
import { apiTexts } from './texts.ts'

const documentPath = '/admin/api/openapi.json'

/** What every endpoint takes and answers, drawn from the OpenAPI document of the program that runs. */
export default function Api() {
  const t = useTexts(apiTexts)
  const { data, error } = useEndpoint('GET /admin/api/openapi.json', {})
  if (error && !data) throw error
  const raw = (
    <Button component="a" href={documentPath} variant="default" leftSection={<Icon name="download" />}>
      {t.raw}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} says={t.says} actions={raw} />
      {data === undefined ? <Coming /> : <Endpoints api={data as ApiDocument} />}
    </>
  )
}

/** The document is the largest that the console asks for. */
const Coming = () => (
  <div aria-busy="true">
    <Skeleton height={36} mb="md" />
    <Skeleton height={420} />
  </div>
)

function Endpoints({ api }: { readonly api: ApiDocument }) {
  const t = useTexts(apiTexts)
  const [{ chapter = '' }, change] = useAddressFilters()
  const [typed, setTyped] = useTypedFilter('q')
  const { op = '' } = useSearch({ strict: false }) as { readonly op?: string }
  const operations = useMemo(() => operationsOf(api), [api])
  const sought = useDeferredValue(typed)
  const found = useMemo(() => {
    const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
    return operations.filter(
      (one) => (chapter === '' || one.chapter === chapter) && words.every((word) => one.words.includes(word)),
    )
  }, [operations, sought, chapter])
  const chapters = useMemo(() => [...Map.groupBy(found, (one) => one.chapter)], [found])
  const names = useMemo(() => [...new Set(operations.map((one) => one.chapter))], [operations])
  return (
    <>
      <div className={styles.tools}>
        <SearchField type="search" className={styles.search ?? ''} label={t.search} typed={typed} onType={setTyped} />
        <Select
          aria-label={t.chapter}
          data={[{ value: '', label: t.every }, ...names.map((name) => ({ value: name, label: name }))]}
          value={chapter}
          onChange={(chosen) => change({ chapter: chosen || undefined })}
        />
      </div>
      <p className={styles.quiet} role="status">
        {t.found(found.length, operations.length)}
      </p>
      <details className={styles.about}>
        <summary>{t.about}</summary>
        <p lang="en">{api.info.description}</p>
      </details>
      {found.length === 0 && <Empty title={t.none} />}
      {chapters.map(([name, inside]) => (
        <Chapter key={name} name={name} operations={inside} api={api} named={op} />
      ))}
    </>
  )
}

type ChapterProps = {
  readonly name: string
  readonly operations: readonly Operation[]
  readonly api: ApiDocument
  /** The key of the operation that the address names. */
  readonly named: string
}

const Chapter = ({ name, operations, api, named }: ChapterProps) => (
  <Panel title={name}>
    {operations.map((operation) => (
      <OperationLine key={operation.key} operation={operation} api={api} isNamed={operation.key === named} />
    ))}
  </Panel>
)
