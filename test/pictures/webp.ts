import type { Page } from 'playwright-core'

const quality = 0.82

/** The same picture as WebP, which takes a fraction of the room; Chromium itself makes it, beside the policy of pages. */
export async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage()
  try {
    const text = (await blank.evaluate(`(async () => {
      const image = new Image()
      image.src = 'data:image/png;base64,${png.toString('base64')}'
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.naturalWidth
      canvas.height = image.naturalHeight
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', ${quality})
    })()`)) as string
    return Buffer.from(text.slice(text.indexOf(',') + 1), 'base64')
  } finally {
    await blank.close()
  }
}
