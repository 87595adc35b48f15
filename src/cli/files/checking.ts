import type { Checked, Fault } from '../../contract/filevault/checking.ts';
import { bytes, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import type { Teller } from '../kit/waiting.ts';

export interface CheckResult {
  readonly checked: number;
  readonly bytes: number;
  readonly faults: readonly Fault[];
}

/** Asks for part after part until everything was checked. @param ask performs the operation */
export async function checkAll(
  ask: (after: string | undefined) => Promise<Checked>,
  { report }: Pick<Teller, 'report'>,
): Promise<CheckResult> {
  const all = { checked: 0, bytes: 0, faults: [] as Fault[] };
  for (let after: string | undefined; ;) {
    const part = await ask(after);
    all.checked += part.checked;
    all.bytes += part.bytes;
    all.faults.push(...part.faults);
    report({ what: 'Checking', done: all.checked, total: part.total });
    if (part.next === null) return all;
    after = part.next;
  }
}

export function describeCheck(screen: Screen, { checked, faults }: CheckResult): string {
  if (faults.length === 0) return `Checked ${checked} contents. Everything is whole.`;
  const rows = table(screen, faults, [
    { title: 'KIND', of: ({ kind }) => kind, whole: true },
    { title: 'FILE', of: ({ fileId }) => fileId ?? '-', whole: true },
    { title: 'WHAT', of: ({ detail }) => detail, main: true },
    { title: 'CONTAINER', of: ({ containerId }) => containerId ?? '-', spare: true },
  ]);
  return `${rows}\nChecked ${checked} contents, and found ${faults.length} faults.`;
}

export interface Collected {
  readonly uploads: number;
  readonly orphans: number;
  readonly blocks: number;
  readonly bytes: number;
}

export function describeCollected(found: Collected, dryRun: boolean): string {
  const { uploads, orphans, blocks } = found;
  if (uploads + orphans + blocks === 0) return 'There is nothing to drop.';
  const what = `${uploads} expired uploads, ${orphans} contents without a version, ${blocks} blocks without a row`;
  return `${dryRun ? 'Would drop' : 'Dropped'} ${what}: ${bytes(found.bytes)}.`;
}
