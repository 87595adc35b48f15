import type { Conditions } from '../../../contract/filevault/acl.ts';
import {
  flagsOfLevel,
  permissionFlags,
  permissionLevels,
  type PermissionFlag,
  type PermissionLevel,
} from '../../../contract/filevault/limits.ts';
import type { FileAclEntryRow } from '../../../platform/store/tables/filevault.ts';
import { holds, type Moment } from './conditions.ts';

export interface Rights {
  readonly flags: ReadonlySet<PermissionFlag>;
  /** the folder or file whose access control list decides; undefined: the member owns the container, or no list names the member */
  readonly from: string | undefined;
  readonly owner: boolean;
  /** the internal share that adds to what the lists grant */
  readonly share?: string;
}

/** An entry of an access control list, with the flags that it grants while its conditions hold. */
export interface Grant {
  readonly nodeId: string;
  readonly flags: ReadonlySet<PermissionFlag>;
  readonly conditions: Conditions | undefined;
}

export type EntryRow = Pick<FileAclEntryRow, 'node_id' | 'level' | 'flags' | 'conditions'> & {
  /** of the permission set of the entry */
  readonly set_flags: string | null;
};

const allFlags: ReadonlySet<PermissionFlag> = new Set(permissionFlags);

/** What a locked container takes from everybody. */
export const changingFlags: ReadonlySet<PermissionFlag> = new Set([
  'write',
  'delete',
  'share',
  'admin',
  'manage_versions',
]);

export const ownerRights: Rights = { flags: allFlags, from: undefined, owner: true };

/**
 * Decides what a member may do with a file or folder. Every route, list and search asks it. The nearest list that has an entry for the
 * member decides, and those of its entries whose conditions hold add up. Where none holds, the member has nothing: a condition that fails
 * never opens what a list further up would grant.
 *
 * @param chain ids from the file or folder up to the root folder of its container
 * @param grants entries for the member, by the id of their file or folder
 */
export function rightsBy(
  chain: readonly string[],
  grants: ReadonlyMap<string, readonly Grant[]>,
  moment: Moment,
): Rights {
  const { from, found } = nearest(chain, grants);
  const holding = found.filter(({ conditions }) => conditions === undefined || holds(conditions, moment));
  return { flags: flagsOfAll(holding), from, owner: false };
}

/** The list that decides, and its entries for the member. */
function nearest(
  chain: readonly string[],
  grants: ReadonlyMap<string, readonly Grant[]>,
): { readonly from: string | undefined; readonly found: readonly Grant[] } {
  const from = chain.find((id) => (grants.get(id) ?? []).length > 0);
  return { from, found: (from === undefined ? undefined : grants.get(from)) ?? [] };
}

function flagsOfAll(grants: readonly Grant[]): ReadonlySet<PermissionFlag> {
  return new Set(grants.flatMap(({ flags }) => listOf(flags)));
}

/** The flags that a member could get by the lists, whatever the address and the time. */
export function possibleFlags(
  chain: readonly string[],
  grants: ReadonlyMap<string, readonly Grant[]>,
): ReadonlySet<PermissionFlag> {
  return flagsOfAll(possibleGrants(chain, grants));
}

/** The entries for a member that could decide, whatever the address and the time. */
export function possibleGrants(
  chain: readonly string[],
  grants: ReadonlyMap<string, readonly Grant[]>,
): readonly Grant[] {
  return nearest(chain, grants).found;
}

/** The flags that a member has by the lists at every time, from every address. */
export function certainFlags(
  chain: readonly string[],
  grants: ReadonlyMap<string, readonly Grant[]>,
): ReadonlySet<PermissionFlag> {
  return flagsOfAll(possibleGrants(chain, grants).filter(({ conditions }) => conditions === undefined));
}

/** What an entry grants. Flags of the entry limit those of its level or set. */
function flagsOf(
  level: PermissionLevel | null,
  set: readonly PermissionFlag[] | null,
  own: readonly PermissionFlag[] | null,
): ReadonlySet<PermissionFlag> {
  const base = level === null ? set : flagsOfLevel[level];
  if (base === null) return new Set(own ?? []);
  return new Set(own === null ? base : base.filter((flag) => own.includes(flag)));
}

export function grantOf({ node_id, level, flags, conditions, set_flags }: EntryRow): Grant {
  return {
    nodeId: node_id,
    flags: flagsOf(level, flagsIn(set_flags), flagsIn(flags)),
    conditions: conditions === null ? undefined : (JSON.parse(conditions) as Conditions),
  };
}

export function grantsBy(rows: readonly EntryRow[]): ReadonlyMap<string, readonly Grant[]> {
  const grants = new Map<string, Grant[]>();
  for (const row of rows) {
    const sameNode = grants.get(row.node_id);
    if (sameNode === undefined) grants.set(row.node_id, [grantOf(row)]);
    else sameNode.push(grantOf(row));
  }
  return grants;
}

export function flagsIn(json: string | null): PermissionFlag[] | null {
  return json === null ? null : (JSON.parse(json) as PermissionFlag[]);
}

/** In the order of the documents. */
export function listOf(flags: ReadonlySet<PermissionFlag>): PermissionFlag[] {
  return permissionFlags.filter((flag) => flags.has(flag));
}

/** The built-in level that has these flags. */
export function levelOf(flags: ReadonlySet<PermissionFlag>): PermissionLevel | 'custom' | 'none' {
  if (flags.size === 0) return 'none';
  const exact = permissionLevels.find((level) => listOf(new Set(flagsOfLevel[level])).join() === listOf(flags).join());
  return exact ?? 'custom';
}
