import type { Answer } from '../../api/client.ts'

/** The top of a file: its titles and first lines, and what its columns are. */
export type Top = Answer<'POST /admin/imports/top/'>
