import type { PrintedDocument } from './document.ts'
import { drawBill } from './layouts/bill.ts'
import { drawInvoice } from './layouts/invoice.ts'
import { drawReceipt } from './layouts/receipt.ts'
import { drawShift } from './layouts/shift.ts'

/** The entry point of a printer thread: takes a document and returns the bytes of its PDF. */
export default function draw(document: PrintedDocument): Promise<Uint8Array> {
  switch (document.kind) {
    case 'invoice':
      return drawInvoice(document)
    case 'receipt':
    case 'note':
      return drawReceipt(document)
    case 'bill':
      return drawBill(document)
    case 'shift':
      return drawShift(document)
  }
}
