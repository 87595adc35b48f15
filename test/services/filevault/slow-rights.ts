import { flagsOfLevel, permissionFlags, type PermissionFlag } from '../../../src/contract/filevault/limits.ts';
import type { EntryRow } from '../../../src/services/filevault/access/rights.ts';

/** The rule that decides on permissions, as it is written down. @param chain a file or folder and what it is in, nearest first */
export function slowly(chain: readonly string[], entries: readonly EntryRow[], now: number): PermissionFlag[] {
  for (const id of chain) {
    const here = entries.filter((entry) => {
      const until = entry.conditions === null ? Infinity : Date.parse(JSON.parse(entry.conditions).notAfter);
      return entry.node_id === id && now < until;
    });
    if (here.length === 0) continue;
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
