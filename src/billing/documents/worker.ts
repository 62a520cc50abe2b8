import type { PrintedDocument } from './document.ts'
import { drawBill } from './layouts/bill.ts'
import { drawInvoice } from './layouts/invoice.ts'
import { drawReceipt } from './layouts/receipt.ts'

/** A thread of the printer: one document in, the bytes of its PDF out. */
export default function draw(document: PrintedDocument): Promise<Uint8Array> {
  switch (document.kind) {
    case 'invoice':
      return drawInvoice(document)
    case 'receipt':
    case 'note':
      return drawReceipt(document)
    case 'bill':
      return drawBill(document)
  }
}
