import { csvMark, markedCsv } from '../formats/csv.ts'
import type { Reply } from './call.ts'

/** A CSV file to download, in UTF-8 with a byte order mark. `name` must be ASCII. */
export const csvFile = (name: string, lines: Buffer, headers: NonNullable<Reply['headers']> = []): Reply => ({
  status: 200,
  headers: [['Content-Disposition', `attachment; filename="${name}"`], ...headers],
  contentType: 'text/csv; charset=utf-8',
  body: Buffer.concat([csvMark, lines]),
})

/** The same for lines that are produced while they are sent. */
export const csvStream = (
  name: string,
  lines: AsyncIterable<string>,
  headers: NonNullable<Reply['headers']> = [],
): Reply => ({ ...csvFile(name, Buffer.alloc(0), headers), body: markedCsv(lines) })
