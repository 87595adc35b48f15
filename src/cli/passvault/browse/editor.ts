import { open, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { startProgram } from '../../kit/start-program.ts';
import { isInteractive, type Terminal } from '../../kit/terminal.ts';
import { openRamFolder } from '../run/ram-disk.ts';

export interface EditOptions {
  readonly allowDisk: boolean;
  /** receives the location of the text if it is not on a RAM disk */
  readonly warn: (message: string) => void;
}

/** Options that stop editors from writing backup copies and histories elsewhere. */
const discreet: Readonly<Record<string, readonly string[]>> = {
  vim: ['-n', '-i', 'NONE', '--cmd', 'set nobackup nowritebackup noundofile'],
  nvim: ['-n', '-i', 'NONE', '--cmd', 'set nobackup nowritebackup noundofile'],
  emacs: ['--eval', '(setq make-backup-files nil auto-save-default nil)'],
};

/** `vi` is vim on most systems. Only vim reads this variable; vi accepts none of the arguments above. */
const viInit = 'set noswapfile nobackup nowritebackup noundofile viminfo=';

/** The exit code of a shell if it does not find a program (POSIX 2.8.2). */
const notFound = 127;

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Opens a text in the user's editor. Meanwhile the text is in a file on a RAM disk.
 *
 * @returns the new text, or undefined if it is unchanged
 * @throws Problem invalid EDITOR_MISSING, internal EDITOR_FAILED, unavailable RAM_DISK_MISSING
 */
export async function editText(
  terminal: Terminal,
  text: string,
  { allowDisk, warn }: EditOptions,
): Promise<string | undefined> {
  const { env } = terminal;
  const editor = editorOf(terminal);
  await using folder = await openRamFolder({ env, allowDisk });
  if (!folder.inMemory) warn('The entry is on a disk while you edit it. Traces of it may remain there.');
  const path = join(folder.path, 'entry.txt');
  {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(text);
  }
  // The file is removed even if a signal ends this process while the editor runs.
  const stay = () => {};
  for (const signal of ending) process.on(signal, stay);
  try {
    const code = await runEditor(terminal, editor, path);
    if (code === notFound)
      throw new Problem(
        'invalid',
        'EDITOR_MISSING',
        `The editor ${editor} is not installed. Set EDITOR to another one.`,
      );
    if (code !== 0)
      throw new Problem('internal', 'EDITOR_FAILED', `${basename(editor)} ended with ${code}. Nothing was saved.`);
    const edited = await readFile(path, 'utf8');
    return edited === text ? undefined : edited;
  } finally {
    for (const signal of ending) process.off(signal, stay);
  }
}

function editorOf(terminal: Terminal): string {
  const named = terminal.env['VISUAL'] || terminal.env['EDITOR'];
  if (named) return named;
  if (isInteractive(terminal)) return process.platform === 'win32' ? 'notepad' : 'vi';
  throw new Problem(
    'invalid',
    'EDITOR_MISSING',
    'There is no terminal and no EDITOR. Give assignments such as username=alice.',
  );
}

async function runEditor({ stdin, env }: Terminal, editor: string, path: string): Promise<number> {
  // EDITOR may contain arguments. git passes it to a shell for the same reason.
  const args = discreet[basename(editor.split(' ')[0] ?? '')] ?? [];
  const [command, line]: [string, string[]] =
    process.platform === 'win32'
      ? ['cmd', ['/c', `${editor} "${path}"`]]
      : ['sh', ['-c', `${editor} "$@"`, editor, ...args, path]];
  const stdio = stdin === process.stdin ? 'inherit' : 'ignore';
  return await new Promise((resolve, reject) => {
    const settings = basename(editor) === 'vi' ? [['VIMINIT', viInit] as const] : [];
    const child = startProgram(command, line, { stdio, env, variables: settings });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}
