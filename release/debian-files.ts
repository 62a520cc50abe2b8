import { hostname } from 'node:os'
import { variableRows } from '../src/app/config.ts'

const width = 100

/** `/etc/tollgate/tollgate.env`: every variable, commented out, with what it must be. */
export function environmentFile(): string {
  const head = [
    '# Settings of Tollgate, read at its start by the service and by `tollgate` when root runs it. A line is NAME=value, quoted',
    "# where a shell would need it. Everything else is set in the operators' console.",
  ]
  // The package has its data folder in its place.
  const rows = variableRows().map(([name, about]) =>
    name === 'TOLLGATE_DATA_DIR'
      ? `${comment('The folder of data; the service may write to /var/lib/tollgate alone.')}\nTOLLGATE_DATA_DIR=/var/lib/tollgate`
      : `${comment(`It ${about.replace(`(default ${hostname()})`, '(default: the name of this machine)')}.`)}\n#${name}=`,
  )
  return `${[...head, '', rows.join('\n\n')].join('\n')}\n`
}

/** Lines of at most `width` columns that begin with `# `. */
function comment(text: string): string {
  const lines: string[] = ['#']
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + word.length + 1 > width && lines.at(-1) !== '#') lines.push('#')
    lines[lines.length - 1] += ` ${word}`
  }
  return lines.join('\n')
}

/** tollgate(8), in the language of man(7). */
export const manualPage = (version: string): string => `.TH TOLLGATE 8 "" "Tollgate ${version}"
.SH NAME
tollgate \\- network access control and billing for internet providers
.SH SYNOPSIS
.B tollgate
.I command
[\\fIoptions\\fR]
.SH DESCRIPTION
.B tollgate serve
is what the service
.B tollgate.service
runs. The other commands look at the same installation or change it, beside the running program too. Run by root they
read
.I /etc/tollgate/tollgate.env
and go on as the user tollgate.
.PP
.B tollgate \\-\\-help
lists the commands and the variables, and each command has its own
.BR \\-\\-help .
.SH FILES
.TP
.I /etc/tollgate/tollgate.env
Settings, every one of them with a comment.
.TP
.I /var/lib/tollgate
Database, spool and keys. It stays when the package is removed and goes when it is purged.
.SH EXIT STATUS
0 when all went well, 1 otherwise, with a sentence that says what to do. A command whose exit status tells more says so in its
own
.BR \\-\\-help .
.SH SEE ALSO
.I /usr/share/doc/tollgate/docs/operating.md
`

/** For bash: the commands, and files behind them. */
export const completion = (commands: readonly string[]): string => `# bash completion of tollgate(8)
_tollgate() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${[...commands, 'demo', '--help', '--version'].join(' ')}' -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _tollgate tollgate
`
