import { compiled } from '../compiled.ts'

const parts = {
  'radius-load': ['load', 'options', 'requests', 'answers', 'report', 'histogram', 'packet', 'md5', 'ms-chap'],
  'radius-floor': ['floor', 'packet', 'md5'],
} as const

export type Tool = keyof typeof parts

/** The path of a program of radius-load/. Throws Missing where there is no compiler. */
export const toolPath = (tool: Tool): string => compiled(tool, 'radius-load', parts[tool])
