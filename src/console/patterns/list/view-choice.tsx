import { ActionIcon, Button, Popover, TextInput } from '@mantine/core'
import { type FormEvent, type RefObject, useRef, useState } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
import type { Filters } from './address.ts'
import { type Column, visibilityOf } from './columns.ts'
import styles from './list.module.css'
import { changeTo, queryOf, type SavedView, useSavedViews } from './saved-views.ts'
import { listTexts } from './texts.ts'

type ChoiceProps<Row> = {
  /** Of the list, under which its views are remembered. */
  readonly name: string
  readonly filters: readonly string[]
  readonly address: Filters
  readonly onChange: (change: Filters) => void
  readonly columns: readonly Column<Row>[]
  readonly visibility: Readonly<Record<string, boolean>>
  readonly onColumns: (chosen: Readonly<Record<string, boolean>>) => void
}

/** The saved views of a list: one is chosen, renamed or deleted, and the present one saved under a name. */
export function ViewChoice<Row>(props: ChoiceProps<Row>) {
  const t = useTexts(listTexts)
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover width={360} position="bottom-end" shadow="md" trapFocus returnFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <ActionIcon variant="default" size="lg" aria-label={t.views} title={t.views} onClick={() => setOpen(!isOpen)}>
          <Icon name="bookmark" size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={styles.views ?? ''}>
        <Views {...props} onChosen={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}

function Views<Row>(props: ChoiceProps<Row> & { readonly onChosen: () => void }) {
  const { name, filters, address, onChange, columns, visibility, onColumns, onChosen } = props
  const t = useTexts(listTexts)
  const names = ['sort', ...filters]
  const present = { query: queryOf(names, address), columns: visibility }
  const { views, removed, drop, undo, ask, form } = useEditing(name, present)
  const choose = (view: SavedView) => {
    onColumns(view.columns)
    onChange(changeTo(names, view.query))
    onChosen()
  }
  const isPresent = (view: SavedView) => {
    const shown = visibilityOf(columns, view.columns)
    const isSame = columns.every(({ id }) => shown[id] === visibility[id])
    return isSame && names.every((name) => view.query[name] === present.query[name])
  }
  return (
    <>
      {views.length === 0 && <p className={styles.viewHint}>{t.noViews}</p>}
      <ul>
        {views.map((view) => (
          <ViewRow
            key={view.name}
            name={view.name}
            isPresent={isPresent(view)}
            onChoose={() => choose(view)}
            onRename={() => ask(view.name, view.name)}
            onRemove={() => drop(view)}
          />
        ))}
      </ul>
      {removed !== null && <Removed name={removed.name} onUndo={() => undo(removed)} />}
      <NameForm {...form} />
    </>
  )
}

/** The views of a list, and the field with which the present one is saved or another renamed. */
function useEditing(list: string, present: Omit<SavedView, 'name'>) {
  const { views, save, rename, remove } = useSavedViews(list)
  const [typed, setTyped] = useState('')
  const [renamed, setRenamed] = useState<string | null>(null)
  const [removed, setRemoved] = useState<SavedView | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const title = typed.trim()
  // What was pressed may be gone, and the focus with it.
  const ask = (text: string, of: string | null) => {
    setTyped(text)
    setRenamed(of)
    field.current?.focus()
  }
  const submit = () => {
    if (title === '') return
    if (renamed === null) save({ name: title, ...present })
    else rename(renamed, title)
    ask('', null)
  }
  const drop = (view: SavedView) => {
    remove(view.name)
    setRemoved(view)
    ask('', null)
  }
  const undo = (view: SavedView) => {
    save(view)
    setRemoved(null)
    ask('', null)
  }
  const isTaken = views.some(({ name }) => name === title && name !== renamed)
  return {
    views,
    removed,
    drop,
    undo,
    ask,
    form: { field, typed, renamed, isTaken, onType: setTyped, onSubmit: submit },
  }
}

type NameFormProps = {
  readonly field: RefObject<HTMLInputElement | null>
  readonly typed: string
  /** The view that gets the name; null: the present one is saved under it. */
  readonly renamed: string | null
  /** Another view has the name and gives way. */
  readonly isTaken: boolean
  readonly onType: (typed: string) => void
  readonly onSubmit: () => void
}

function NameForm({ field, typed, renamed, isTaken, onType, onSubmit }: NameFormProps) {
  const t = useTexts(listTexts)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className={styles.viewForm} onSubmit={submit}>
      <TextInput
        ref={field}
        label={renamed === null ? t.viewName : t.renameView(renamed)}
        maxLength={60}
        value={typed}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
        data-autofocus
      />
      <Button type="submit" variant="default" disabled={typed.trim() === ''}>
        {isTaken ? t.replaceView : renamed === null ? t.saveView : t.rename}
      </Button>
    </form>
  )
}

type RowProps = {
  readonly name: string
  readonly isPresent: boolean
  readonly onChoose: () => void
  readonly onRename: () => void
  readonly onRemove: () => void
}

function ViewRow({ name, isPresent, onChoose, onRename, onRemove }: RowProps) {
  const t = useTexts(listTexts)
  return (
    <li className={styles.view}>
      <button type="button" aria-pressed={isPresent} onClick={onChoose}>
        {name}
      </button>
      <ActionIcon variant="subtle" color="gray" aria-label={t.renameView(name)} onClick={onRename}>
        <Icon name="pen" size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={t.removeView(name)} onClick={onRemove}>
        <Icon name="close" size={16} />
      </ActionIcon>
    </li>
  )
}

/** In place of a question before: what was deleted can be had back. */
function Removed({ name, onUndo }: { readonly name: string; readonly onUndo: () => void }) {
  const t = useTexts(listTexts)
  return (
    <p className={styles.viewHint} role="status">
      {t.viewRemoved(name)}{' '}
      <Button variant="subtle" size="compact-sm" onClick={onUndo}>
        {t.undo}
      </Button>
    </p>
  )
}
