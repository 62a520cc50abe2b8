import t from 'tap'
import { Progress } from '../../../src/billing/importing/progress.ts'

function shown(isTerminal: boolean) {
  let nowMs = 0
  const written: string[] = []
  const progress = new Progress({ write: (text) => written.push(text), isTerminal }, () => nowMs)
  return { progress, written, pass: (ms: number) => (nowMs += ms) }
}

t.test('in a pipe there is a line now and then, with rate and time left', async (t) => {
  const { progress, written, pass } = shown(false)
  progress.begin('importing', 100_000)
  pass(4_000)
  progress.at(20_000)
  t.strictSame(written, [], 'too early')
  pass(1_000)
  progress.at(25_000)
  pass(15_000)
  progress.end(100_000)
  t.strictSame(written, [
    'importing: 25,000 lines (25 %), 5,000/s, 15 s left\n',
    'importing: 100,000 lines in 20 s, 5,000/s\n',
  ])
})

t.test('on a terminal one line is written again and again', async (t) => {
  const { progress, written, pass } = shown(true)
  progress.begin('reading', 1_000)
  pass(500)
  progress.at(10, 4)
  pass(200_000)
  progress.end(2_500)
  t.strictSame(written, [
    '\r\u001b[Kreading: 10 lines (0 %), 20/s, 2 min 5 s left',
    '\r\u001b[Kreading: 2,500 lines in 3 min 21 s, 12/s',
    '\n',
  ])
})
