import { extname } from 'node:path'

/**
 * The address of a module beside the one whose `import.meta.url` is given, by its name without an ending: that is `.ts`
 * in a checkout and `.js` in a package.
 */
export const siblingModule = (asker: string, name: string): URL => new URL(`./${name}${extname(asker)}`, asker)
