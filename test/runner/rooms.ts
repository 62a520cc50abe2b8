import { dirname } from 'node:path'

/** Test files that run one after the other in one process. */
export type Room = { files: string[]; seconds: number }

/** More of them would make a process that the others wait for at the end. */
const filesAtMost = 12
/** Of a file that nobody has timed yet. */
const secondsGuessed = 2

/**
 * Files of a folder share a process, some at a time, unless `isAlone` says that a file wants one for itself. Rooms come
 * slowest first, by the seconds of the last run, so that no long one begins when the others end; so do the files in
 * them.
 */
export function roomsOf(
  files: readonly string[],
  { isAlone, secondsOf }: { isAlone: (file: string) => boolean; secondsOf: (file: string) => number | undefined },
): Room[] {
  const folders = Map.groupBy(files, (file) => (isAlone(file) ? file : dirname(file)))
  const rooms = [...folders.values()].flatMap((all) => {
    const size = Math.ceil(all.length / Math.ceil(all.length / filesAtMost))
    return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
  })
  const seconds = (file: string) => secondsOf(file) ?? secondsGuessed
  return rooms
    .map((files) => ({ files, seconds: files.reduce((sum, file) => sum + seconds(file), 0) }))
    .sort((a, b) => b.seconds - a.seconds)
}
