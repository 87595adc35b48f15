import type { SocialImport } from '../../contract/social/transfer.ts';
import { counted } from '../kit/counted.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';

/** A sentence on an import, and a line for each line of its file that was refused. */
export function importText(one: SocialImport): string {
  const { state, done, total, imported, requested, present, removed, refusedCount, refused } = one;
  const parts = [
    `${imported} new`,
    ...(requested > 0 ? [`${requested} asked for`] : []),
    `${present} there before`,
    ...(removed > 0 ? [`${removed} removed`] : []),
    `${refusedCount} refused`,
  ];
  const head =
    state === 'pending'
      ? `Importing ${one.what}: ${done} of ${counted(total, 'line')}.`
      : `Imported ${one.what}: ${parts.join(', ')}.`;
  return [
    head,
    ...refused.map(({ line, text, reason }) => escapeForTerminal(`line ${line}: ${text} (${reason})`)),
  ].join('\n');
}
