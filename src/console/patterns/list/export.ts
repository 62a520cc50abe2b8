import type { Item } from '../../api/client.ts'
import type { Language } from '../../texts/texts.ts'
import { csvText } from '../../format/csv.ts'
import { saveFile } from '../save-file.ts'
import type { Column } from './columns.ts'
import { afterPages, type Asked, type Cursor, type ListEndpoint, type Page, readPage } from './pages.ts'

const rowsMax = 20_000

/**
 * All rows of a list with its filters, in the columns that are shown, as a CSV file. Returns how many there were, and
 * whether there are more.
 */
export async function exportCsv<D extends ListEndpoint, Row>(
  order: { readonly name: string; readonly endpoint: D; readonly asked: Asked; readonly language: Language },
  columns: readonly Column<Row>[],
): Promise<{ readonly rows: number; readonly isCut: boolean }> {
  const { name, endpoint, asked, language } = order
  const rows: Row[] = []
  let cursor: Cursor = null
  let pages = 0
  do {
    const page: Page<Item<D>> = await readPage(endpoint, asked, cursor)
    rows.push(...(page.items as readonly unknown[] as readonly Row[]))
    cursor = afterPages(page, ++pages)
  } while (cursor !== null && rows.length < rowsMax)
  const written = columns.filter(({ text }) => text !== undefined)
  const cells = rows.map((row) => written.map(({ text }) => text!(row)))
  const text = csvText([written.map(({ title }) => title), ...cells], language)
  saveFile(`${name}.csv`, text, 'text/csv')
  return { rows: rows.length, isCut: cursor !== null }
}
