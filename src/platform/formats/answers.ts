/**
 * Reads the answer of another server up to a length. `isWhole`: false when it is longer; the rest is not read, and the
 * connection is closed.
 */
export async function readAnswer(
  { body }: Response,
  bytesMax: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length > bytesMax) return { bytes: Buffer.concat(chunks), isWhole: false }
  }
  return { bytes: Buffer.concat(chunks), isWhole: true }
}
