import { perform, type Caller } from '../../client/perform.ts';
import type { AclEntry } from '../../contract/filevault/acl.ts';
import {
  permissionFlags,
  permissionLevels,
  type PermissionFlag,
  type PermissionLevel,
} from '../../contract/filevault/limits.ts';
import { filevault } from '../../contract/filevault.ts';
import { Problem } from '../../base/problem.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import type { RemotePath } from './paths.ts';
import { placeAt } from './places.ts';

interface Target {
  readonly targetType: 'file' | 'folder';
  readonly targetId: string;
}

/** The list of a file or folder, as far as the caller may see it. */
export async function aclAt(
  caller: Caller,
  path: RemotePath,
): Promise<{ readonly target: Target; readonly containerId: string; readonly entries: AclEntry[] }> {
  const { folder, file } = await placeAt(caller, path);
  const target = { targetType: file === null ? 'folder' : 'file', targetId: file?.id ?? folder.id } as const;
  const { entries } = await perform(caller, filevault.showAcl, target);
  return { target, containerId: folder.vaultContainerId, entries };
}

export function aclTable(screen: Screen, entries: readonly AclEntry[]): string {
  return table(screen, entries, [
    { title: 'MEMBER', of: ({ username, principalId }) => username ?? principalId, main: true },
    { title: 'LEVEL', of: levelText, whole: true },
    { title: 'MAY', of: ({ flags = [] }) => flags.join(', ') || 'nothing' },
    // Shortened after MAY, which the level says as well.
    { title: 'WHILE', of: ({ conditions }) => (conditions ? conditionText(screen, conditions) : '-'), main: true },
    { title: 'ID', of: ({ principalId }) => principalId, spare: true },
  ]);
}

function levelText({ level, customPermissionSetId, flags = [] }: AclEntry): string {
  if (level !== undefined) return level;
  if (customPermissionSetId != null) return 'set';
  return flags.length === 0 ? 'denied' : 'flags';
}

function conditionText(
  screen: Screen,
  { cidrs, notBefore, notAfter, hours }: NonNullable<AclEntry['conditions']>,
): string {
  return [
    ...(cidrs === undefined ? [] : [`from ${cidrs.join(', ')}`]),
    ...(notBefore === undefined ? [] : [`since ${moment(screen, notBefore)}`]),
    ...(notAfter === undefined ? [] : [`until ${moment(screen, notAfter)}`]),
    ...(hours === undefined ? [] : [`${hours.from}-${hours.to} ${hours.timeZone}`]),
  ].join('; ');
}

export interface GrantFlags {
  readonly level?: string | undefined;
  readonly flags?: string | undefined;
  readonly networks?: string | undefined;
  readonly until?: string | undefined;
}

/** The entry that a person describes by options. @throws Problem invalid USAGE */
export function entryFrom(principalId: string, { level, flags, networks, until }: GrantFlags) {
  if ((level === undefined) === (flags === undefined))
    throw new Problem('invalid', 'USAGE', 'Say what is granted: either --level or --flags.');
  const conditions = {
    ...(networks !== undefined && { cidrs: networks.split(',').map((network) => network.trim()) }),
    ...(until !== undefined && { notAfter: timeOf(until) }),
  };
  return {
    principalId,
    ...(level !== undefined && { level: level as PermissionLevel }),
    ...(flags !== undefined && { flags: flagsIn(flags) }),
    ...(Object.keys(conditions).length > 0 && { conditions }),
  };
}

export function timeOf(text: string): string {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new Problem('invalid', 'USAGE', `${JSON.stringify(text)} is no time. Write one such as 2027-01-31T18:00Z.`);
}

function flagsIn(text: string): PermissionFlag[] {
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(permissionFlags as readonly string[]).includes(name));
  if (unknown === undefined) return names as PermissionFlag[];
  const known = permissionFlags.join(', ');
  throw new Problem('invalid', 'USAGE', `${JSON.stringify(unknown)} is no permission. There are: ${known}, and none.`);
}

export const levels = [...permissionLevels];

interface ChangedAcl {
  readonly entries: AclEntry[];
  readonly containerId: string;
  /** a member of a client-encrypted container lost access, so it needs a new key */
  readonly keyOutdated: boolean;
}

/** Replaces the entries of a member in a list, or takes them out. @param member id, username or e-mail address */
export async function changeAcl(
  caller: Caller,
  path: RemotePath,
  member: string,
  entry: ReturnType<typeof entryFrom> | undefined,
): Promise<ChangedAcl> {
  const { target, containerId, entries } = await aclAt(caller, path);
  const isOther = ({ principalId, username }: AclEntry): boolean =>
    principalId !== member.toLowerCase() && username?.toLowerCase() !== member.toLowerCase();
  const others = entries.filter(isOther);
  if (entry === undefined && others.length === entries.length)
    throw new Problem('missing', 'MEMBER_NOT_FOUND', `The list has no entry for ${JSON.stringify(member)}.`);
  const wanted = [...others, ...(entry === undefined ? [] : [entry])];
  const { keyOutdated = false } = await perform(caller, filevault.putAcl, { ...target, entries: wanted });
  return { containerId, keyOutdated, entries: (await perform(caller, filevault.showAcl, target)).entries };
}
