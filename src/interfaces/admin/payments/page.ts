import type { Language } from '../../../domain/language.ts'
import { Markup, markup } from '../../../platform/formats/html.ts'

type Page = { readonly language: Language; readonly title: string; readonly body: Markup }

/** The frame of the payment pages: one column, with nothing to load. */
export const paymentsPage = ({ language, title, body }: Page): string =>
  markup`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${style}</style></head><body>${body}</body></html>`.text

const style = new Markup(`body{font:16px system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}
article,fieldset{margin:1rem 0;border:1px solid #bbb}article{padding:.5rem 1rem}h2{font-size:1.1rem;margin:.3rem 0}
article p{margin:.3rem 0;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere}small{color:#666}
nav a,nav b{margin-right:1rem}label{display:block;margin-top:.8rem}input,select,button{font:inherit;padding:.4rem;box-sizing:border-box}
input,select{width:100%}button{margin-top:1rem}article label,article button{margin-top:.5rem}
.good{color:#0a6b2d}.bad{color:#b00020}`)
