import { hostname } from 'node:os'
import type { Command } from '../src/app/commands/command.ts'
import { commands } from '../src/app/commands/list.ts'
import { variableRows } from '../src/app/config.ts'
import demo from '../src/demo/command.ts'

const width = 100

/** What `/etc/tollgate/tollgate.env` is made from: every variable, commented out, with what it must be. */
export function environmentFile(): string {
  const head = [
    '# Settings of Tollgate, read at its start by the service and by `tollgate` when root or the user tollgate runs it. A line is',
    "# NAME=value, with the value in single quotes where a shell would need quotes. Everything else is set in the operators'",
    '# console; a line TOLLGATE_SETTING_<NAME>=value gives a setting of it its first value. An update leaves this file alone:',
    '# /usr/share/tollgate/tollgate.env has every variable of the version that is installed.',
  ]
  // The package has its data folder in its place.
  const rows = variableRows().map(([name, about]) =>
    name === 'TOLLGATE_DATA_DIR'
      ? `${comment('The folder of data. The service may write to /var/lib/tollgate and /var/backups/tollgate alone; /usr/share/doc/tollgate/README.md tells how to have the data elsewhere.')}\nTOLLGATE_DATA_DIR=/var/lib/tollgate`
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

/** What `tollgate` of a package can be told to do. */
export async function namedCommands(): Promise<ReadonlyMap<string, Command>> {
  const loaded = Object.entries(commands).map(async ([name, load]) => [name, (await load()).default] as const)
  return new Map<string, Command>([...(await Promise.all(loaded)), ['demo', demo]])
}

/** A sentence in the language of man(7). */
const roff = (text: string): string => text.replaceAll('\\', '\\e').replaceAll('-', '\\-')

/** tollgate(8), in the language of man(7). */
export const manualPage = (
  version: string,
  all: ReadonlyMap<string, Command>,
): string => `.TH TOLLGATE 8 "" "Tollgate ${version}"
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
runs. The other commands look at the same installation or change it, beside the running program too. Run by root or by the
user tollgate they read
.IR /etc/tollgate/tollgate.env ,
and those of root go on as the user tollgate.
.PP
.B tollgate \\-\\-version
tells what is installed, and each command has its own
.BR \\-\\-help .
.SH COMMANDS
${[...all].map(([name, { about }]) => `.TP\n.B ${name}\n${roff(about)}`).join('\n')}
.SH ENVIRONMENT
.B tollgate serve \\-\\-help
lists the variables.
.I /usr/share/tollgate/tollgate.env
has each of them with a comment.
.SH FILES
.TP
.I /etc/tollgate/tollgate.env
Variables for the service and for commands. An update leaves it alone.
.TP
.I /var/lib/tollgate
Database, spool and keys. It stays when the package is removed and goes when it is purged.
.TP
.I /var/backups/tollgate
The place for archives of
.BR "tollgate backup" .
They stay when the package is purged.
.SH EXIT STATUS
0 when all went well, 1 otherwise, with a sentence that says what to do. A command whose exit status tells more says so in its
own
.BR \\-\\-help .
.SH SEE ALSO
.BR systemctl (1),
.BR journalctl (1)
.PP
.I /usr/share/doc/tollgate/README.md
.br
.I /usr/share/doc/tollgate/docs/operating.md
`

/** For bash: the commands, then their options, and files. */
export function completion(all: ReadonlyMap<string, Command>): string {
  const options = [...all].map(
    ([name, command]) =>
      `    ${name}) options='${[...Object.keys(command.options), 'help'].map((option) => `--${option}`).join(' ')}' ;;`,
  )
  return `# bash completion of tollgate(8)
_tollgate() {
  local word=\${COMP_WORDS[COMP_CWORD]} options=
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '${[...all.keys(), '--help', '--version'].join(' ')}' -- "$word")
    return
  fi
  case \${COMP_WORDS[1]} in
${options.join('\n')}
  esac
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F _tollgate tollgate
`
}
