import { Button, Drawer, VisuallyHidden } from '@mantine/core'
import { Navigate, Outlet, useLocation, useMatches as useRouteMatches } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useMe } from '../api/me.tsx'
import { readKept, writeKept } from '../format/kept.ts'
import { ConfirmProvider } from '../patterns/confirm.tsx'
import { Icon } from '../patterns/icon.tsx'
import { useWaysKept } from '../patterns/way-back.ts'
import { useOnTop } from '../patterns/layers.ts'
import { useTexts } from '../texts/texts.ts'
import { Failure, FailureBoundary } from './failures.tsx'
import styles from './frame.module.css'
import { FrameSkeleton } from './frame-skeleton.tsx'
import { Head } from './head.tsx'
import { KeyHelp } from './key-help.tsx'
import { useKeys } from './keys.ts'
import { useFocusKept } from './focus-kept.ts'
import { narrowScreen } from './narrow.ts'
import { Rail } from './rail.tsx'
import { ScreenSkeleton } from './screen-skeleton.tsx'
import { SearchBox } from '../search/search-box.tsx'
import { frameTexts } from './texts.ts'
import { useMatches } from './use-matches.ts'
import { signOut } from './user-menu.tsx'

/** The frame around every screen. It waits for `/admin/me/`, by which everything in it is shown. */
export function Frame() {
  return (
    <FailureBoundary fallback={(error, again) => <Failure error={error} again={again} isWhole />}>
      <Suspense fallback={<FrameSkeleton />}>
        <ConfirmProvider>
          <Framed />
        </ConfirmProvider>
      </Suspense>
    </FailureBoundary>
  )
}

/** Who has to set up a second factor before anything else sees the screen of that alone. */
const Framed = () => (useMe().must_enrol ? <Enrolment /> : <Inside />)

function Enrolment() {
  const t = useTexts(frameTexts)
  const { pathname } = useLocation()
  return (
    <main id="main" className={styles.main}>
      {pathname.startsWith(accountPath) ? <Outlet /> : <Navigate to={accountPath} />}
      <Button variant="subtle" leftSection={<Icon name="out" />} onClick={() => void signOut()}>
        {t.signOut}
      </Button>
    </main>
  )
}

const accountPath = '/account/'

function Inside() {
  const t = useTexts(frameTexts)
  const isNarrow = useMatches(narrowScreen)
  const [isFolded, setFolded] = useState(readKept('rail') === 'folded')
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [isSearching, setSearching] = useState(false)
  const [isHelping, setHelping] = useState(false)
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useKeys({ search: () => setSearching(true), help: () => setHelping(true) })
  // A tab or a form beside a list has an address of its own, and the card or the list around it stays as it is.
  const screen = useRouteMatches({ select: ([, shown]) => shown?.pathname })
  useFocusKept(main)
  useWaysKept()
  useScreenChange(pathname, main, () => setDrawerOpen(false))
  const fold = (folded: boolean) => {
    writeKept('rail', folded ? 'folded' : 'wide')
    setFolded(folded)
  }
  return (
    <div className={styles.frame} data-folded={!isNarrow && isFolded ? '' : undefined}>
      <a className={styles.skip} href="#main">
        {t.toContent}
      </a>
      {isNarrow ? (
        <RailDrawer isOpen={isDrawerOpen} onClose={() => setDrawerOpen(false)} />
      ) : (
        <Rail isFolded={isFolded} onFold={fold} />
      )}
      <div className={styles.side}>
        <Head onMenu={isNarrow ? () => setDrawerOpen(true) : null} onSearch={() => setSearching(true)} />
        <main ref={main} id="main" className={styles.main} tabIndex={-1}>
          <FailureBoundary
            key={screen}
            at={pathname}
            fallback={(error, again) => <Failure error={error} again={again} />}
          >
            <Suspense fallback={<ScreenSkeleton />}>
              <Outlet />
            </Suspense>
          </FailureBoundary>
        </main>
      </div>
      <SearchBox isOpen={isSearching} onClose={() => setSearching(false)} />
      <KeyHelp isOpen={isHelping} onClose={() => setHelping(false)} />
    </div>
  )
}

/** The rail of a telephone, which covers the screen until somebody has chosen a place. */
function RailDrawer({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const t = useTexts(frameTexts)
  const isOnTop = useOnTop(isOpen)
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      closeOnEscape={isOnTop}
      size={280}
      padding={0}
      withCloseButton={false}
      title={<VisuallyHidden>{t.places}</VisuallyHidden>}
      classNames={{ header: styles.drawerHeader ?? '' }}
    >
      <Rail isFolded={false} onFold={null} onGo={onClose} />
    </Drawer>
  )
}

/** A new screen takes the focus, so that a reader begins at its top; a form beside a list leaves the list in place. */
function useScreenChange(pathname: string, main: { readonly current: HTMLElement | null }, leave: () => void): void {
  const screen = pathname.split('/').slice(0, 4).join('/')
  const before = useRef(screen)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address alone says that the screen has changed
  useEffect(() => {
    leave()
    if (before.current === screen) return
    before.current = screen
    // The row that was opened by a key has the focus until its list makes way.
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true })
  }, [pathname])
}
