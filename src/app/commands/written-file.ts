import { type FileHandle, open } from 'node:fs/promises'
import { CommandRefusal } from './command.ts'

/** How many characters are written at once. */
const pieceMax = 64 * 1024

/** A file that a command writes line by line. A disk that is full refuses the command, and does not end the process. */
export class WrittenFile {
  readonly #path: string
  readonly #file: FileHandle
  #waiting = ''

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  /** To be called before the work whose result it takes, so that nothing is done that cannot be told. */
  static async open(path: string): Promise<WrittenFile> {
    return new WrittenFile(path, await open(path, 'w').catch((error) => refuse(path, error)))
  }

  async write(text: string): Promise<void> {
    this.#waiting += text
    if (this.#waiting.length >= pieceMax) await this.#flush()
  }

  async close(): Promise<void> {
    try {
      await this.#flush()
    } finally {
      await this.#file.close()
    }
  }

  async #flush(): Promise<void> {
    const piece = this.#waiting
    this.#waiting = ''
    if (piece !== '') await this.#file.writeFile(piece).catch((error) => refuse(this.#path, error))
  }
}

function refuse(path: string, error: unknown): never {
  throw new CommandRefusal(`${path} cannot be written: ${(error as Error).message}`)
}
