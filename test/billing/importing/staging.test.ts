import t from 'tap'
import { copyChunk, createChunkStaging, createStaging } from '../../../src/billing/importing/staging.ts'
import { withConnection } from '../../../src/platform/storage/connection.ts'
import { testDatabaseUrl } from '../../support/database.ts'

const lines = 50_000

t.test('a chunk that cannot be copied keeps nobody else from the staging table of the file for ever', async (t) => {
  const url = await testDatabaseUrl(t)
  await withConnection(url, (file) =>
    withConnection(url, async (chunk) => {
      await createStaging(file)
      await createChunkStaging(chunk)
      await file.query(
        `INSERT INTO import_lines (line, name) SELECT n, repeat('x', 1000) FROM generate_series(1, ${lines}) AS n`,
      )
      await chunk.query('ALTER TABLE import_lines ADD CHECK (line < 10)')
      await Promise.all([
        t.rejects(copyChunk(file, chunk, 0, lines), { code: '23514' }),
        t.rejects(file.query('SELECT 1'), 'whoever waits for the connection is told'),
      ])
      t.match(await chunk.query('SELECT 1 AS one'), { rows: [{ one: 1 }] })
    }),
  )
})
