import { toHex } from '../../bytes.ts';
import { signedCheckpoint } from '../ledger/verify-proof.ts';
import { auditEntries, type Audited } from './audit.ts';
import { filterIn } from './check-filter.ts';
import type { Checks, Opened } from './checks.ts';

interface History {
  readonly kept?: string | undefined;
  readonly entries?: AsyncIterable<string> | undefined;
}

/**
 * Compares the ledger of a proof with a checkpoint that the caller kept, and recomputes it from its entries.
 * @returns what the entries say, if all of them were there
 */
export async function checkHistory(
  checks: Checks,
  { file, entry, report }: Opened,
  { kept, entries }: History,
): Promise<Audited | undefined> {
  const bundle = file.kind === 'non-access' ? file.verificationBundle : file.certificate;
  const newer = report.logKey === undefined ? undefined : signedCheckpoint(bundle.checkpoint, report.logKey);
  if (newer === undefined) return undefined;
  const isWithin = !('coversTo' in bundle) || bundle.coversTo <= newer.size;
  checks.add('ledger', isWithin, `${newer.size} entries`, 'it has fewer entries than the proof covers');
  const older = kept === undefined || report.logKey === undefined ? undefined : signedCheckpoint(kept, report.logKey);
  if (kept !== undefined && older === undefined)
    checks.add('history', false, '', 'the key of this log did not sign the checkpoint that you have');
  const isEqual = older?.size === newer.size;
  if (older !== undefined && isEqual) {
    const isOne = toHex(older.root) === toHex(newer.root);
    checks.add(
      'history',
      isOne,
      'the checkpoint that you have is of the same ledger',
      'the node signed two different ledgers',
    );
  }
  if (entries === undefined) {
    if (older !== undefined && !isEqual)
      checks.undecided.push('The checkpoint that you have is of another size. Give the entries of the ledger as well.');
    return undefined;
  }
  const filter = filterIn(entry);
  const covers = 'coversTo' in bundle ? bundle.coversTo : 0;
  const audited = await auditEntries(entries, {
    size: Math.max(newer.size, older?.size ?? 0),
    sizes: new Set([newer.size, ...(older === undefined ? [] : [older.size])]),
    ...(filter !== undefined && { filter: { ...filter, fileTag: bundle.fileTag, coversTo: covers } }),
  });
  if (audited.fault !== undefined) {
    checks.add('entries', false, '', audited.fault);
    return undefined;
  }
  if (audited.entries < newer.size) {
    checks.undecided.push(`The entries end at ${audited.entries}. The ledger of the proof has ${newer.size}.`);
    return undefined;
  }
  const isTheirs = audited.roots.get(newer.size) === toHex(newer.root);
  checks.add(
    'entries',
    isTheirs,
    `all ${newer.size} have the root of the ledger`,
    'they are not the entries of this ledger',
  );
  if (older !== undefined && !isEqual) {
    const root = older.size === 0 ? toHex(older.root) : audited.roots.get(older.size);
    if (root === undefined) checks.undecided.push('The entries end before the checkpoint that you have.');
    else
      checks.add(
        'history',
        root === toHex(older.root),
        'it continues the checkpoint that you have',
        'it is another ledger than the one that you have a checkpoint of',
      );
  }
  if (!isTheirs) return undefined;
  if (filter !== undefined) checkFilterAgain(checks, audited, filter.merkleRoot, covers);
  return audited;
}

function checkFilterAgain(
  checks: Checks,
  { filterRoot, accessed, count }: Audited,
  root: string,
  covers: number,
): void {
  const isLeftOut = accessed !== undefined && accessed < covers;
  checks.add(
    'accesses',
    filterRoot === root && !isLeftOut,
    `the filter has the ${count} accessed files of the container, and nothing else`,
    isLeftOut
      ? `contradiction: entry ${accessed} is an access to the file`
      : 'the filter is not that of the recorded accesses',
  );
}
