import { useRouter } from '@tanstack/react-router'
import { useMayHave, useMe } from '../api/me.tsx'
import { useFormat } from '../format/format.ts'
import { type Place, places, placeTexts } from '../frame/places.ts'
import type { IconName } from '../patterns/icon.tsx'
import { plain } from '../texts/plain.ts'
import { useTexts } from '../texts/texts.ts'
import { useProgramWords } from '../texts/use-program-words.ts'
import { type Action, useOfferedActions } from './actions.ts'
import { operationWords } from './operation-words.ts'
import { keepRecent, type Recent, readRecent } from './recent.ts'
import { searchTexts } from './texts.ts'
import { type Group, perKind } from './use-found.ts'
import { useFoundSettings } from './use-found-settings.ts'

/** A line that can be chosen. */
export type Option = {
  /** Of its section. */
  readonly key: string
  readonly title: string
  readonly subtitle: string
  readonly icon: IconName
  readonly isDeleted?: boolean
  /** It leads to a list of all, and is none of what was found. */
  readonly isAll?: boolean
  readonly choose: () => void
}

/** Options under a heading. */
export type Section = { readonly name: string; readonly heading: string; readonly options: readonly Option[] }

type Kind = Group['kind']

const icons: Readonly<Record<Kind, IconName>> = {
  subscriber: 'user',
  login: 'key',
  session: 'flash',
  operation: 'money',
  ticket: 'ticket',
  home: 'home',
  nas: 'network',
  pool: 'system',
}

/** Where all are of whom some are shown; `isSearched`: by what was typed. */
type List = { readonly path: string; readonly isSearched: boolean }
const lists: Partial<Record<Kind, List>> = {
  subscriber: { path: '/admin/subscribers/', isSearched: true },
  login: { path: '/admin/subscribers/', isSearched: true },
  nas: { path: '/admin/network/nas/', isSearched: false },
  pool: { path: '/admin/network/pools/', isSearched: false },
}

const settingsList: List = { path: '/admin/system/settings/', isSearched: true }
const searched = (path: string, text: string): string => `${path}?q=${encodeURIComponent(text)}`

const isKind = (kind: string): kind is Kind => Object.hasOwn(icons, kind)

/** The words of a title, by which actions and places are found: beginnings, in any order. */
const wordsOf = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean)

/** From so many on they begin an action rather than a name. */
const letters = 4

const parted = <T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [T[], T[]] => [
  all.filter(isFirst),
  all.filter((one) => !isFirst(one)),
]

function isNamed(title: string, typed: string): boolean {
  const words = wordsOf(title)
  return wordsOf(typed).every((begun) => words.some((word) => word.startsWith(begun)))
}

/** What is offered for what is typed: at first what can be done here and what was opened lately, then what is found. */
export function useSections(typed: string, groups: readonly Group[]): readonly Section[] {
  const t = useTexts(searchTexts)
  const { id } = useMe().user
  const format = useFormat()
  const words = useProgramWords()
  const open = useOpen()
  const actions = useOfferedActions()
  const visited = usePlaces()
  const text = typed.trim()
  const named = (options: readonly Option[]) => options.filter(({ title }) => isNamed(title, text))
  const isBegun = ({ title }: Option) => text.length >= letters && plain(title).startsWith(plain(text))
  // Whoever types how an action of this screen begins means that, whatever else has such a word.
  const [meant, others] = parted(named(actions.map(optionOfAction)), isBegun)
  const actionsMeant = { name: 'meant', heading: t.actions, options: meant }
  const actionsHere = { name: 'actions', heading: t.actions, options: others }
  const placesHere = { name: 'places', heading: t.places, options: named(visited) }
  const said = (kind: Kind, one: Pick<Recent, 'title' | 'subtitle'>) =>
    kind === 'operation'
      ? operationWords(one, { ...format, words })
      : { title: format.address(one.title), subtitle: format.address(one.subtitle) }
  const item = (kind: Kind, one: Omit<Recent, 'kind'> & { readonly deleted?: true }): Option => ({
    key: one.path + one.title,
    ...said(kind, one),
    icon: icons[kind],
    ...(one.deleted && { isDeleted: true }),
    choose: () => {
      keepRecent(id, { ...one, kind })
      open(one.path)
    },
  })
  const recent = (): Section => ({
    name: 'recent',
    heading: t.recent,
    options: readRecent(id).flatMap((one) => (isKind(one.kind) ? [item(one.kind, one)] : [])),
  })
  const all = useAllOf(text)
  const allOf = (kind: Kind): Option[] => {
    const list = lists[kind]
    return list ? [all(list, icons[kind])] : []
  }
  const found = groups.map(({ kind, items }) => ({
    name: kind,
    heading: t[kind],
    options: items.map((one) => item(kind, one)).concat(items.length === perKind ? allOf(kind) : []),
  }))
  const settingsFound = useSettingsSection(text)
  const sections =
    text === '' ? [actionsHere, recent(), placesHere] : [actionsMeant, ...found, actionsHere, placesHere, settingsFound]
  return sections.filter(({ options }) => options.length > 0)
}

/** The line to a list, of everything or of what is found by `text`. */
function useAllOf(text: string): (list: List, icon: IconName) => Option {
  const t = useTexts(searchTexts)
  const open = useOpen()
  return ({ path, isSearched }, icon) => ({
    key: 'all',
    title: isSearched ? t.all(text) : t.whole,
    subtitle: '',
    icon,
    isAll: true,
    choose: () => open(isSearched ? searched(path, text) : path),
  })
}

function useSettingsSection(text: string): Section {
  const t = useTexts(searchTexts)
  const open = useOpen()
  const all = useAllOf(text)
  const found = useFoundSettings(text)
  const options = found.slice(0, perKind).map(({ name, meaning }): Option => {
    const choose = () => open(searched(settingsList.path, name))
    return { key: name, title: meaning, subtitle: name, icon: 'system', choose }
  })
  const isMore = found.length > perKind
  return { name: 'setting', heading: t.setting, options: isMore ? [...options, all(settingsList, 'system')] : options }
}

const optionOfAction = ({ title, icon = 'flash', run }: Action): Option => ({
  key: title,
  title,
  subtitle: '',
  icon,
  choose: run,
})

/** Goes to an address as the server writes it, with `/admin` before it. */
function useOpen(): (path: string) => void {
  const { history } = useRouter()
  return (path) => history.push(path, { isFound: true })
}

function usePlaces(): readonly Option[] {
  const names = useTexts(placeTexts)
  const may = useMayHave()
  const open = useOpen()
  const allowed = (list: readonly Place[]) => list.filter(may)
  const optionOf = (place: Place, above: Place | null): Option => ({
    key: place.to + place.name,
    title: names[place.name],
    subtitle: above ? names[above.name] : '',
    icon: place.icon ?? above?.icon ?? 'link',
    choose: () => open(`/admin${place.to}`),
  })
  return allowed(places).flatMap((place) => {
    const within = allowed(place.within ?? []).map((one) => optionOf(one, place))
    return [optionOf(place, null), ...within]
  })
}
