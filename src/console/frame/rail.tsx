import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react'
import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useMayHave } from '../api/me.tsx'
import { useFormat } from '../format/format.ts'
import { useTicketCounts } from '../live/use-counts.ts'
import { useLiveState } from '../live/use-live.ts'
import { Icon } from '../patterns/icon.tsx'
import { wayBack } from '../patterns/way-back.ts'
import { linkOf } from '../patterns/list/address.ts'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { everyPlace, type Place, placeTexts, places } from './places.ts'
import { frameTexts } from './texts.ts'

type RailProps = {
  readonly isFolded: boolean
  readonly onFold: ((folded: boolean) => void) | null
  /** A place was pressed, be it the one that is shown. */
  readonly onGo?: () => void
}

/** The places of the console, as far as the rights of the user reach. */
export function Rail({ isFolded, onFold, onGo }: RailProps) {
  const t = useTexts(frameTexts)
  const may = useMayHave()
  const allowed = (list: readonly Place[]) => list.filter(may)
  return (
    <nav className={styles.rail} aria-label={t.places}>
      <div className={styles.brand}>
        <span className={styles.mark} aria-hidden="true" />
        {!isFolded && <span>Tollgate</span>}
      </div>
      <ul className={styles.places}>
        {allowed(places).map((place) => (
          <PlaceItem
            key={place.name}
            place={place}
            within={allowed(place.within ?? [])}
            isFolded={isFolded}
            isInDrawer={onFold === null}
            onGo={onGo}
          />
        ))}
      </ul>
      {onFold && (
        <div className={styles.railFoot}>
          <Tooltip label={isFolded ? t.widen : t.narrow} position="right">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={isFolded ? t.widen : t.narrow}
              onClick={() => onFold(!isFolded)}
            >
              <Icon name="sidebar" />
            </ActionIcon>
          </Tooltip>
        </div>
      )}
    </nav>
  )
}

type PlaceItemProps = {
  readonly place: Place
  readonly within: readonly Place[]
  readonly isFolded: boolean
  readonly isInDrawer: boolean
  readonly onGo: (() => void) | undefined
}

/**
 * A section. The rail of a desk shows what is in the one of the screen; in the drawer of a telephone, which closes when
 * somebody goes to a place, a press shows or hides what is in a section.
 */
function PlaceItem({ place, within, isFolded, isInDrawer, onGo }: PlaceItemProps) {
  const names = useTexts(placeTexts)
  const isHere = useIsWithin(place, within)
  const [isUnfolded, setUnfolded] = useState(isHere)
  const isUnfolding = isInDrawer && within.length > 0
  const isOpen = !isFolded && within.length > 0 && (isUnfolding ? isUnfolded : isHere)
  const item = useShown(isUnfolding && isOpen)
  const name = names[place.name]
  const content = (
    <>
      {place.icon && <Icon name={place.icon} />}
      {isFolded ? <VisuallyHidden>{name}</VisuallyHidden> : <span>{name}</span>}
      {place.counts && <UnreadTickets />}
    </>
  )
  const link = (
    <PlaceLink place={place} isHere={isHere} onGo={onGo}>
      {content}
    </PlaceLink>
  )
  const named = isFolded ? (
    <Tooltip label={name} position="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
  return (
    <li ref={item}>
      {isUnfolding ? (
        <button
          type="button"
          className={styles.place}
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          {content}
          <Icon name={isUnfolded ? 'up' : 'down'} />
        </button>
      ) : (
        named
      )}
      {isOpen && (
        <ul className={styles.within}>
          {within.map((one) => (
            <li key={one.name}>
              <InnerPlace place={one} name={names[one.name]} onGo={onGo} />
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** Scrolls a section that is open as far as is needed to see what is in it, but no further than to its own name. */
function useShown(isOpen: boolean) {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    const shown = item.current
    if (!isOpen || !shown) return
    const room = shown.closest('nav')?.clientHeight ?? 0
    shown.scrollIntoView({ block: shown.clientHeight > room ? 'start' : 'nearest' })
  }, [isOpen])
  return item
}

/** How many tickets the reader has not read; without a connection, how many it were at last. */
function UnreadTickets() {
  const t = useTexts(frameTexts)
  const format = useFormat()
  const isLive = useLiveState() === 'open'
  const unread = useTicketCounts()?.unread ?? 0
  if (unread === 0) return null
  return (
    <span className={styles.count} data-lost={isLive ? undefined : ''} title={t.unreadTickets(unread)}>
      <span aria-hidden="true">{format.number(unread)}</span>
      <VisuallyHidden>, {t.unreadTickets(unread)}</VisuallyHidden>
    </span>
  )
}

type InnerPlaceProps = Pick<PlaceItemProps, 'place' | 'onGo'> & { readonly name: string }

function InnerPlace({ place, name, onGo }: InnerPlaceProps) {
  const { pathname, searchStr, state } = useLocation()
  const [path = '', search = ''] = place.to.split('?')
  const showOf = (text: string) => new URLSearchParams(text).get('show')
  const way = wayBack(path, state.__TSR_index ?? 0)
  // A record is of the list that it was opened from.
  const asked = pathname === path ? searchStr : way?.isOpenedThere ? way.search : ''
  const isHere = path === innermost(pathname) && showOf(asked) === showOf(search)
  return (
    <PlaceLink place={place} isHere={isHere} onGo={onGo}>
      {name}
    </PlaceLink>
  )
}

type PlaceLinkProps = Pick<PlaceItemProps, 'place' | 'onGo'> & {
  readonly isHere: boolean
  readonly children: ReactNode
  readonly ref?: Ref<HTMLAnchorElement>
}

/** `rest` is what a tooltip gives to what it is about. */
function PlaceLink({ place, isHere, onGo, children, ...rest }: PlaceLinkProps) {
  const common = {
    ...rest,
    className: styles.place ?? '',
    ...(isHere && { 'aria-current': 'page' as const }),
    ...(onGo && { onClick: onGo }),
  }
  return (
    <Link {...linkOf(place.to)} activeOptions={{ exact: true }} activeProps={{}} {...common}>
      {children}
    </Link>
  )
}

/** The address of a place, without what it asks of its list, that an address of the console is within. */
function innermost(pathname: string): string | undefined {
  const around = everyPlace.map(({ to }) => to.split('?')[0] ?? '').filter((path) => pathname.startsWith(path))
  return around.sort((one, other) => other.length - one.length)[0]
}

function useIsWithin(place: Place, within: readonly Place[]): boolean {
  const { pathname } = useLocation()
  if (place.to === '/') return pathname === '/'
  return [place, ...within].some(({ to }) => pathname.startsWith(to.split('?')[0] ?? ''))
}
