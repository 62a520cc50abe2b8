import { type AnyRoute, createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { Frame } from './frame/frame.tsx'
import { FailedScreen, MissingScreen } from './frame/failures.tsx'
import { ScreenSkeleton } from './frame/screen-skeleton.tsx'
import { lazyScreen } from './lazy-screen.ts'
import { type Screen, screens } from './screens.ts'

const root = createRootRoute({ component: Frame })

/** The screens of screens.ts as routes: one may hold others, such as the tabs of a card or a form beside a list. */
function routeOf(parent: AnyRoute, { path, load, within = [] }: Screen): AnyRoute {
  const route = createRoute({ getParentRoute: () => parent, path, component: lazyScreen(load) })
  return within.length === 0 ? route : route.addChildren(within.map((screen) => routeOf(route, screen)))
}

/** The screen that was shown last, whatever is within it: a tab, or a form beside a list. */
let screenBefore: string | undefined
const screenNow = (): string | undefined => router.state.matches[1]?.pathname

/** What scrolls begins at its top in another screen than before, and stays where it is in the same one. */
const ofNewScreen = (scroller: string) => (): Element | null =>
  screenNow() === screenBefore ? null : document.querySelector(scroller)

export const router = createRouter({
  routeTree: root.addChildren(screens.map((screen) => routeOf(root, screen))),
  basepath: '/admin',
  trailingSlash: 'always',
  defaultPreload: 'intent',
  defaultPendingComponent: ScreenSkeleton,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  scrollRestoration: true,
  scrollToTopSelectors: ['main', '[data-scroller]'].map(ofNewScreen),
  defaultNotFoundComponent: MissingScreen,
  defaultErrorComponent: FailedScreen,
  // Filters in an address are plain text, as people and the old pages write them.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const asked = Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
    )
    return asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`
  },
})

router.subscribe('onRendered', () => {
  screenBefore = screenNow()
})
