import { Problem } from '../../../base/problem.ts';
import { counted } from '../../kit/counted.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import type { Direction } from './deciding.ts';
import type { Action } from './run.ts';

const words: Readonly<Record<Action['action'], string>> = {
  upload: 'sent',
  download: 'received',
  'make-remote': 'made there',
  'make-local': 'made here',
  'move-remote': 'moved there',
  'move-local': 'moved here',
  'trash-remote': 'to the trash',
  'remove-local': 'removed here',
  conflict: 'set aside',
};
const longest = Math.max(...Object.values(words).map(({ length }) => length));

/** A line for each thing that was done, or would be. */
export function actionLines(actions: readonly Action[], files: number, dryRun: boolean): string {
  const lines = actions.map(({ action, path, to }) => {
    const paths = to === undefined ? path : `${path} → ${to}`;
    return `${words[action].padEnd(longest)}  ${escapeForTerminal(paths)}`;
  });
  const end =
    actions.length === 0
      ? `Nothing to do: ${counted(files, 'file')}.`
      : `${counted(files, 'file')}, ${counted(actions.length, 'change')}.`;
  return [
    ...lines,
    dryRun && actions.length > 0 ? `${counted(actions.length, 'change')} to do. Nothing was changed.` : end,
  ].join('\n');
}

/** @throws Problem invalid USAGE if not exactly one of both is at the server */
export function directionOf(
  fromRemote: boolean,
  toRemote: boolean,
  flags: { readonly both: boolean | undefined; readonly delete: boolean | undefined },
): Direction {
  if (fromRemote === toRemote)
    throw new Problem(
      'invalid',
      'USAGE',
      'Name a folder of this machine and one of the vault, such as: . Work:/folder',
    );
  if (flags.both === true) return { mode: 'both', deletes: true };
  return { mode: fromRemote ? 'pull' : 'push', deletes: flags.delete === true };
}
