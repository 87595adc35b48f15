import { errorCodes } from '../../contract/error-codes.ts';
import type { SocialImport } from '../../contract/social/transfer.ts';
import { Problem } from '../../base/problem.ts';
import { confirmed } from '../kit/confirmation.ts';
import { counted } from '../kit/counted.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { missingInput } from '../kit/missing-input.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

/**
 * Refuses an import that lacks its file, and asks before one that also ends what is there.
 * @throws Problem invalid USAGE, INPUT_MISSING, NOT_CONFIRMED
 */
export async function checkImport(
  terminal: Terminal,
  { what, file }: { readonly what?: string | undefined; readonly file?: string | undefined },
  { overwrite, yes }: { readonly overwrite: boolean; readonly yes: boolean },
): Promise<void> {
  if (what === undefined) {
    if (overwrite) throw new Problem('invalid', 'USAGE', 'Say what to import, and name its file.');
    return;
  }
  if (file === undefined && isInteractive(terminal))
    throw missingInput({ path: 'file', by: 'FILE, or - for standard input' });
  if (overwrite) await confirmed(terminal, yes, `Also end all ${what} that the file does not have?`);
}

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
  const lines = `${done} of ${counted(total, 'line')}`;
  const heads = {
    pending: `Importing ${one.what}: ${lines}.`,
    done: `Imported ${one.what}: ${parts.join(', ')}.`,
    failed: `The import of ${one.what} failed after ${lines}: ${parts.join(', ')}. Import the file again.`,
  };
  return [
    heads[state],
    ...refused.map(({ line, text, reason }) => escapeForTerminal(`line ${line}: ${text}: ${sentenceOf(reason)}`)),
  ].join('\n');
}

/** What a code says to the person whose line was refused. */
function sentenceOf(code: string): string {
  // Nothing else of a line is checked in this way.
  if (code === 'VALIDATION_ERROR') return 'It must not be yourself.';
  const { [code]: known } = errorCodes as Readonly<Record<string, { readonly text: string } | undefined>>;
  return known === undefined ? code : `${known.text} (${code})`;
}
