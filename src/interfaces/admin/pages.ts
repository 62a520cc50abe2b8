import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Language } from '../../domain/language.ts'
import { fillTemplate, type Piece } from '../../platform/formats/html.ts'
import { asset, page, script, styles } from '../../platform/http/assets.ts'
import type { Call, Handler, Reply, Route } from '../../platform/http/call.ts'
import { html } from '../../platform/http/reply.ts'

const types: Readonly<Record<string, string>> = { '.js': script, '.css': styles }

/** The scripts and styles of a folder, each under its name behind `path`. */
export const filesBehind = (path: string, folder: URL): Route[] =>
  readdirSync(folder).flatMap((name) => {
    const type = types[extname(name)]
    return type ? [page(`${path}/${name}`, asset(new URL(name, folder), type))] : []
  })

/** A page of the web admin: a folder with its HTML and with what that loads. */
export class AdminPage {
  readonly #folder: URL
  readonly #template: string

  /** `name` is that of the HTML file, without its ending. */
  constructor(folder: URL, name: string) {
    this.#folder = folder
    this.#template = readFileSync(new URL(`${name}.html`, folder), 'utf8')
  }

  /**
   * The HTML with its pieces; who is signed in is among them. A page that is written in Russian only names no language.
   */
  show({ staff }: Call, pieces: Readonly<Record<string, Piece>> = {}, language?: Language): Reply {
    const text = fillTemplate(this.#template, {
      username: staff?.username,
      // Buttons that the caller's role does not allow are not shown; the doors refuse them all the same.
      rights: staff?.rights.join(' '),
      ...pieces,
    })
    const headers: Reply['headers'] = [['Cache-Control', 'no-store']]
    if (language === undefined) return html(text, 200, headers)
    const inLanguage = text.replace('<html lang="ru">', `<html lang="${language}">`)
    return html(inLanguage, 200, [...headers, ['Vary', 'Accept-Language']])
  }

  /** The page at its address, and its files behind it. */
  routes(path: string, show: Handler = (call) => this.show(call)): Route[] {
    return [page(path, show), ...filesBehind(path, this.#folder)]
  }
}
