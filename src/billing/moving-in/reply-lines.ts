import type { Findings } from './findings.ts'
import type { ReplyLine } from './records.ts'

/** Why a list of attributes cannot be sent: a sentence; null: it can. */
export type ReplyFault = (lines: readonly ReplyLine[]) => string | null

/** The lines that can be sent. The others are remarked on. */
export function usableLines(
  { findings, replyFault }: { readonly findings: Findings; readonly replyFault: ReplyFault },
  place: string,
  lines: readonly ReplyLine[],
): readonly ReplyLine[] {
  const usable: ReplyLine[] = []
  for (const line of lines) {
    if (String(line.value).includes('\0')) {
      findings.note('remark', place, `${line.name} is not carried over. It has a character of the code 0.`)
      continue
    }
    // What stands once cannot be added, only replaced.
    const fitting = [line, { ...line, op: '=' as const }].find((one) => replyFault([...usable, one]) === null)
    if (fitting) usable.push(fitting)
    else findings.note('remark', place, `${line.name} is not carried over. ${replyFault([...usable, line])}`)
  }
  return usable
}
