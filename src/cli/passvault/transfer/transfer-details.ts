import type { ReplyOf } from '../../../contract/operation.ts';
import type { EntryType } from '../../../contract/passvault/entry.ts';
import type { passvault } from '../../../contract/passvault.ts';
import { importNameOf } from '../../../contract/passvault/transfer.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import type { Screen } from '../../kit/screen.ts';
import { table } from '../../kit/table.ts';

const named: Readonly<Record<EntryType, readonly [one: string, more: string]>> = {
  login: ['login', 'logins'],
  credit_card: ['card', 'cards'],
  secure_note: ['note', 'notes'],
};

type Imported = ReplyOf<(typeof passvault)['import']>;

export function describeImport(screen: Screen, vaultName: string, reply: Imported): string {
  const { imported, types, skipped, errors, notices, format, dryRun } = reply;
  const wrong = table(screen, errors, [
    { title: 'RECORD', of: ({ row }) => String(row), whole: true },
    { title: 'NOT IMPORTED, SINCE', of: ({ reason }) => reason, whole: true },
  ]);
  const noted = table(screen, notices, [
    { title: 'RECORD', of: ({ row }) => (row === 0 ? 'all' : String(row)), whole: true },
    { title: 'IMPORTED, BUT', of: ({ reason }) => reason, whole: true },
  ]);
  const verb = dryRun ? 'would be imported' : 'imported';
  const summary = escapeForTerminal(
    `${imported} ${verb} into ${vaultName} (${importNameOf[format]}), ${skipped} skipped, ${errors.length} not readable.`,
  );
  const kinds = Object.entries(named).flatMap(([type, name]) => {
    const count = types[type as EntryType];
    return count === 0 ? [] : [`${count} ${name[count === 1 ? 0 : 1]}`];
  });
  const parts = [errors.length > 0 && wrong, notices.length > 0 && noted, summary];
  if (kinds.length > 0) parts.push(`${dryRun ? 'They would be' : 'They are'} ${kinds.join(', ')}.`);
  return parts.filter((part) => part !== false).join('\n');
}
