import type { ReplyOf } from '../../contract/operation.ts';
import type { passvault } from '../../contract/passvault.ts';
import { harmless } from '../harmless.ts';
import type { Screen } from '../screen.ts';
import { table } from '../table.ts';

type Imported = ReplyOf<(typeof passvault)['import']>;

export function describeImport(screen: Screen, vaultName: string, reply: Imported): string {
  const { imported, skipped, errors, format, dryRun } = reply;
  const wrong = table(screen, errors, [
    { title: 'RECORD', of: ({ row }) => String(row), whole: true },
    { title: 'NOT IMPORTED, SINCE', of: ({ reason }) => reason, whole: true },
  ]);
  const verb = dryRun ? 'would be imported' : 'imported';
  const summary = harmless(
    `${imported} ${verb} into ${vaultName} (${format}), ${skipped} skipped, ${errors.length} not readable.`,
  );
  return errors.length === 0 ? summary : `${wrong}\n${summary}`;
}
