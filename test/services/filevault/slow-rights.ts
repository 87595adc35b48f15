import { flagsOfLevel, permissionFlags, type PermissionFlag } from '../../../src/contract/filevault/limits.ts';
import type { EntryRow } from '../../../src/services/filevault/access/rights.ts';

/** The rule that decides on permissions, as it is written down. @param chain a file or folder and what it is in, nearest first */
export function slowly(chain: readonly string[], entries: readonly EntryRow[], now: number): PermissionFlag[] {
  for (const id of chain) {
    const named = entries.filter((entry) => entry.node_id === id);
    if (named.length === 0) continue;
    const here = named.filter(
      ({ conditions }) => conditions === null || now < Date.parse(JSON.parse(conditions).notAfter),
    );
    return permissionFlags.filter((flag) =>
      here.some(({ level, flags }) => {
        const byLevel = level === null ? undefined : flagsOfLevel[level].includes(flag);
        const byFlags = flags === null ? undefined : (JSON.parse(flags) as string[]).includes(flag);
        return byLevel === undefined ? byFlags === true : byLevel && byFlags !== false;
      }),
    );
  }
  return [];
}
