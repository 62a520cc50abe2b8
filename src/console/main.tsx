import './mantine.css'
import '@mantine/notifications/styles.css'
import './styles.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { meAsked } from './api/me.tsx'
import { queries } from './api/queries.ts'
import { watchHand } from './live/hand.ts'
import { liveSocket } from './live/use-live.ts'
import { NamedControls } from './named-controls.tsx'
import { router } from './router.tsx'
import { LanguageProvider } from './texts/language.tsx'
import { theme } from './theme.ts'

/** Styles that are made here carry the nonce of the document; its policy lets in no others. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
// Read by the libraries under Mantine that hold the page still behind a dialog.
Object.assign(globalThis, { __webpack_nonce__: nonce })

void queries.prefetchQuery(meAsked)
watchHand()
liveSocket.start()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <LanguageProvider>
        <NamedControls>
          <QueryClientProvider client={queries}>
            <Notifications position="top-right" limit={1} />
            <RouterProvider router={router} />
          </QueryClientProvider>
        </NamedControls>
      </LanguageProvider>
    </MantineProvider>
  </StrictMode>,
)
