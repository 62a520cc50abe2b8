import { Link } from '@tanstack/react-router'
import { type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { Copy } from '../../patterns/copy.tsx'
import { Listing } from '../../patterns/listing.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './api.module.css'
import {
  type ApiDocument,
  curlOf,
  exampleOf,
  fieldsOf,
  jsonSchemaOf,
  type Operation,
  resolved,
  type Schema,
  typeOf,
} from './document.ts'
import { apiTexts } from './texts.ts'

type OperationProps = {
  readonly operation: Operation
  readonly api: ApiDocument
  /** The address of the screen names it. */
  readonly isNamed: boolean
}

/** One operation in a line; what it takes and answers is made when somebody opens it. */
export function OperationLine({ operation, api, isNamed }: OperationProps) {
  const [isOpen, setOpen] = useState(isNamed)
  const { method, path, summary } = operation
  const line = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (isNamed) line.current?.scrollIntoView()
  }, [isNamed])
  const toggle = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) => setOpen(currentTarget.open)
  return (
    <details ref={line} className={styles.operation} open={isOpen} onToggle={toggle}>
      <summary>
        <span className={styles.method}>{method.toUpperCase()}</span>
        <code>{path}</code>
        <span className={styles.quiet} lang="en">
          {summary}
        </span>
      </summary>
      {isOpen && <Inside operation={operation} api={api} />}
    </details>
  )
}

function Inside({ operation, api }: Omit<OperationProps, 'isNamed'>) {
  const t = useTexts(apiTexts)
  const { key, description, parameters, requestBody, responses = {} } = operation
  const body = jsonSchemaOf(requestBody?.content)
  return (
    <div className={styles.inside}>
      {description && <p lang="en">{description}</p>}
      {parameters.length > 0 && (
        <>
          <h3>{t.parameters}</h3>
          <Rows
            label={`${t.parameters}: ${key}`}
            rows={parameters.map(({ name, in: place, schema = {}, required = false, description: meaning = '' }) => ({
              name,
              place,
              type: typeOf(schema, api),
              isRequired: required,
              meaning,
            }))}
          />
        </>
      )}
      {requestBody && (
        <>
          <h3>{t.body}</h3>
          <p className={styles.quiet}>{Object.keys(requestBody.content ?? {}).join(', ')}</p>
          {body && <Fields label={`${t.body}: ${key}`} schema={body} api={api} />}
        </>
      )}
      <h3>{t.answers}</h3>
      {Object.entries(responses).map(([status, written]) => {
        const { description: says, content } = resolved(written, api)
        const schema = status < '300' ? jsonSchemaOf(content) : null
        return (
          <div key={status}>
            <p>
              <b>{status}</b> <span lang="en">{says}</span>
            </p>
            {schema && <Fields label={`${status}: ${key}`} schema={schema} api={api} />}
            {schema && <Example schema={schema} api={api} />}
          </div>
        )
      })}
      <h3>{t.request}</h3>
      <Curl operation={operation} api={api} />
      <p>
        <Link to="/system/api/" search={{ op: key } as never}>
          {t.link}
        </Link>
      </p>
    </div>
  )
}

type Row = {
  readonly name: string
  readonly place?: string
  readonly type: string
  readonly isRequired: boolean
  readonly meaning: string
}

function Rows({ label, rows }: { readonly label: string; readonly rows: readonly Row[] }) {
  const t = useTexts(apiTexts)
  return (
    <PlainTable
      label={label}
      rows={rows}
      rowKey={({ name, place }) => `${place} ${name}`}
      none={t.noFields}
      columns={[
        {
          title: t.name,
          cell: ({ name, isRequired }) => (
            <>
              <code>{name}</code> {isRequired && <small className={styles.quiet}>{t.required}</small>}
            </>
          ),
        },
        ...(rows.some(({ place }) => place !== undefined) ? [{ title: t.place, cell: ({ place }: Row) => place }] : []),
        { title: t.type, cell: ({ type }) => <code>{type}</code> },
        { title: t.meaning, cell: ({ meaning }) => <span lang="en">{meaning}</span> },
      ]}
    />
  )
}

type SchemaProps = { readonly schema: Schema; readonly api: ApiDocument }

function Fields({ label, schema, api }: SchemaProps & { readonly label: string }) {
  const fields = fieldsOf(schema, api)
  if (fields.length === 0) return <p className={styles.quiet}>{typeOf(schema, api)}</p>
  return <Rows label={label} rows={fields} />
}

function Example({ schema, api }: SchemaProps) {
  const t = useTexts(apiTexts)
  return (
    <details>
      <summary>{t.example}</summary>
      <Listing text={JSON.stringify(exampleOf(schema, api), null, 2)} />
    </details>
  )
}

function Curl({ operation, api }: Omit<OperationProps, 'isNamed'>) {
  const t = useTexts(apiTexts)
  const text = curlOf(operation, api, location.origin)
  return (
    <>
      <Listing text={text} />
      <Copy text={text} label={t.copy} />
    </>
  )
}
