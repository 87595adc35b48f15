import type { Context } from '../../../service/context.ts';
import type { Conditions } from '../../../contract/filevault/acl.ts';
import { permissionFlags, type PermissionFlag } from '../../../contract/filevault/limits.ts';
import type { Place, Who } from './places.ts';
import { certainFlags, possibleGrants, type Grant } from './rights.ts';
import { certainlyShared } from './shares.ts';

/** What a member holds on a file or folder, and under which conditions. */
export interface Holding {
  /** at every time, from every address */
  readonly certain: ReadonlySet<PermissionFlag>;
  /** of the nearest list that names the member: while the conditions of one hold, the member has its flags */
  readonly nearest: readonly Grant[];
}

export async function holdingOf(
  ctx: Pick<Context, 'db' | 'clock'>,
  { memberId }: Pick<Who, 'memberId'>,
  { node, chain, rights, grants }: Place,
): Promise<Holding> {
  if (rights.owner) return { certain: new Set(permissionFlags), nearest: [] };
  const shared = node.kind === 1 ? (await certainlyShared(ctx, node.id)).get(memberId) : undefined;
  return heldBy(
    chain.map(({ id }) => id),
    grants,
    shared,
  );
}

/** The same of somebody who does not own the container. @param chain ids, from the file or folder up */
export function heldBy(
  chain: readonly string[],
  grants: ReadonlyMap<string, readonly Grant[]>,
  shared: ReadonlySet<PermissionFlag> = new Set(),
): Holding {
  const certain = new Set([...certainFlags(chain, grants), ...shared]);
  return { certain, nearest: possibleGrants(chain, grants) };
}

/** Whether the holder has a flag whenever these conditions hold; undefined: always. */
export function covers(
  { certain, nearest }: Holding,
  flag: PermissionFlag,
  conditions: Conditions | undefined,
): boolean {
  if (certain.has(flag)) return true;
  const wanted = JSON.stringify(conditions);
  return (
    conditions !== undefined &&
    nearest.some((grant) => grant.flags.has(flag) && JSON.stringify(grant.conditions) === wanted)
  );
}
