import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { wholeDocument } from '../interfaces/admin/provider/api/document.ts'
import { restSection } from '../interfaces/rest/openapi.ts'
import { endpointTypes } from './endpoint-types.ts'
import { type Entrance, routesOf } from './routes.ts'
import type { Inside } from './office.ts'

/**
 * Writes what every documented endpoint takes and answers as types for the console (src/console/api/client.ts), out of
 * the OpenAPI document of this source. `npm run types` runs it first, so that an endpoint that changes breaks the
 * screens that use it before anybody opens them. No database is needed: a route is described before it is called.
 */

/** Stands for every part of the program: routes take parts when they are made and use them when they are called. */
const anything: object = new Proxy(() => {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
  construct: () => anything,
})

/** All parts: as it is spread into other objects, it names its members. */
const inside = Object.fromEntries(partNames().map((name) => [name, anything])) as unknown as Inside

/** The members of the parts that routes take apart, read from where they do it. */
function partNames(): string[] {
  const sources = ['routes.ts', 'system-api.ts'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
  return [...new Set(sources.flatMap((source) => source.match(/\b[a-z]\w*/gi) ?? []))]
}

function openApiDocument() {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const routes = routesOf({ ...inside, builtConsole: null }, anything as Entrance)
  return wholeDocument({ routes, sections: [restSection()], publicUrl: '', version })
}

const folder = new URL('../../build/console-types/', import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('endpoints.d.ts', folder), endpointTypes(openApiDocument()))
