import { Kbd, Loader, Modal, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { focusBack } from '../patterns/focus-back.ts'
import { Icon } from '../patterns/icon.tsx'
import { useLatest } from '../patterns/latest.ts'
import { useOnTop } from '../patterns/layers.ts'
import { useTexts } from '../texts/texts.ts'
import { type Option, type Section, useSections } from './options.ts'
import styles from './search.module.css'
import { searchTexts } from './texts.ts'
import { type Found, useFound } from './use-found.ts'

export type SearchBoxProps = { readonly isOpen: boolean; readonly onClose: () => void }

/** The one search box, opened by Ctrl+K, `/` and the field in the head: everybody, everything, places and actions. */
export function SearchBox({ isOpen, onClose }: SearchBoxProps) {
  const t = useTexts(searchTexts)
  const isOnTop = useOnTop(isOpen)
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      closeOnEscape={isOnTop}
      size={640}
      yOffset="10vh"
      padding={0}
      transitionProps={{ duration: 0 }}
      classNames={{ content: styles.box ?? '' }}
    >
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-label={t.search}>
        <Inside onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  )
}

const textMax = 200

/** There while the box is open, so that each opening begins anew. */
function Inside({ onClose }: Pick<SearchBoxProps, 'onClose'>) {
  const t = useTexts(searchTexts)
  const [text, setText] = useState('')
  const [before] = useState(() => document.activeElement)
  const chosen = (option: Option) => {
    onClose()
    // What opens a dialog gives the focus back to where it was before the search.
    focusBack(before)
    option.choose()
  }
  const found = useFound(text)
  const sections = useSections(text, found.groups)
  const options = sections.flatMap(({ name, options }) =>
    options.map((option): Option => ({ ...option, key: `${name} ${option.key}` })),
  )
  const { active, point, hear } = useChoice(text, options, found.isPending, chosen)
  const list = useId()
  const field = useRef<HTMLInputElement>(null)
  // At once, because people type on.
  useLayoutEffect(() => field.current?.focus(), [])
  return (
    <>
      <div className={styles.field}>
        {found.isPending ? <Loader size={18} aria-hidden="true" /> : <Icon name="search" />}
        <input
          data-autofocus
          ref={field}
          role="combobox"
          aria-expanded={options.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-label={t.search}
          aria-activedescendant={options.length > 0 ? `${list}-${active}` : undefined}
          placeholder={t.asks}
          maxLength={textMax}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={hear}
        />
        <button type="button" className={styles.leave} onClick={onClose} aria-label={t.leave}>
          <Icon name="close" size={16} />
        </button>
      </div>
      <div id={list} role="listbox" aria-label={t.results} className={styles.list}>
        <Sections sections={sections} list={list} active={active} onPoint={point} onChoose={chosen} />
      </div>
      <State text={text.trim()} found={found} count={options.filter(({ isAll }) => isAll !== true).length} />
      <Foot />
    </>
  )
}

function Foot() {
  const t = useTexts(searchTexts)
  return (
    <div className={styles.foot} aria-hidden="true">
      <span>
        <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> {t.move}
      </span>
      <span>
        <Kbd size="xs">Enter</Kbd> {t.open}
      </span>
      <span>
        <Kbd size="xs">Esc</Kbd> {t.leave}
      </span>
    </div>
  )
}

/**
 * The line that the arrows are on, which stays the same when an answer puts others above it. Enter pressed before the
 * answer has come waits for it: whoever types a contract and presses Enter at once means what will be found.
 */
function useChoice(text: string, options: readonly Option[], isPending: boolean, choose: (option: Option) => void) {
  const [active, setActive] = useState<string | null>(null)
  const [isWaiting, setWaiting] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed begins anew
  useEffect(() => {
    setActive(null)
    setWaiting(false)
  }, [text])
  const at = Math.max(
    0,
    options.findIndex(({ key }) => key === active),
  )
  const latest = useLatest({ options, choose })
  useEffect(() => {
    if (!isWaiting || isPending) return
    setWaiting(false)
    const [first] = latest.current.options
    if (first) latest.current.choose(first)
  }, [isWaiting, isPending])
  const point = (to: number) => setActive(options[to]?.key ?? null)
  const hear = (event: KeyboardEvent) => {
    const moved = movedBy(event.key, at, options.length)
    if (event.nativeEvent.isComposing || (moved === null && event.key !== 'Enter')) return
    event.preventDefault()
    setWaiting(false)
    if (moved !== null) point(moved)
    else if (isPending && at === 0) setWaiting(true)
    else if (options[at]) choose(options[at])
  }
  return { active: at, point, hear }
}

/** Null: the key is for the text. */
function movedBy(key: string, at: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at + count - 1) % count
  if (key === 'PageDown') return Math.min(count - 1, at + 8)
  if (key === 'PageUp') return Math.max(0, at - 8)
  return null
}

type SectionsProps = {
  readonly sections: readonly Section[]
  readonly list: string
  readonly active: number
  readonly onPoint: (at: number) => void
  readonly onChoose: (option: Option) => void
}

function Sections({ sections, list, active, onPoint, onChoose }: SectionsProps) {
  let before = 0
  return sections.map(({ name, heading, options }) => {
    const from = before
    before += options.length
    return (
      // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, no fieldsets
      <div key={name} role="group" aria-labelledby={`${list}-${name}`}>
        <div id={`${list}-${name}`} className={styles.heading}>
          {heading}
        </div>
        {options.map((option, i) => (
          <Line
            key={option.key}
            id={`${list}-${from + i}`}
            option={option}
            isActive={from + i === active}
            onPoint={() => onPoint(from + i)}
            onChoose={() => onChoose(option)}
          />
        ))}
      </div>
    )
  })
}

type LineProps = {
  readonly id: string
  readonly option: Option
  readonly isActive: boolean
  readonly onPoint: () => void
  readonly onChoose: () => void
}

function Line({ id, option, isActive, onPoint, onChoose }: LineProps) {
  const t = useTexts(searchTexts)
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the same
    <div
      ref={line}
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles.line}
      onMouseMove={isActive ? undefined : onPoint}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <Icon name={option.icon} />
      <span className={styles.words}>
        <span className={styles.title}>{option.title}</span>
        {option.subtitle !== '' && <span className={styles.subtitle}>{option.subtitle}</span>}
      </span>
      {option.isDeleted && <span className={styles.deleted}>{t.deleted}</span>}
    </div>
  )
}

/** What there is to say when nothing is found; how much is found is read out. */
function State({ text, found, count }: { readonly text: string; readonly found: Found; readonly count: number }) {
  const t = useTexts(searchTexts)
  const isSettled = text !== '' && !found.isPending
  if (found.hasFailed)
    return (
      <p role="status" className={styles.state}>
        {t.failed}
      </p>
    )
  if (isSettled && count === 0)
    return (
      <div role="status" className={styles.state}>
        <p>{t.none(text)}</p>
        <p className={styles.subtitle}>{t.noneSays}</p>
      </div>
    )
  return <VisuallyHidden role="status">{isSettled ? t.found(count) : text === '' ? '' : t.searching}</VisuallyHidden>
}
