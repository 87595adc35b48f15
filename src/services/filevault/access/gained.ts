import type { Context } from '../../../service/context.ts';
import type { PermissionFlag } from '../../../contract/filevault/limits.ts';
import { grantsOn } from './grants.ts';
import { covers, heldBy, type Holding } from './holding.ts';
import type { Place } from './places.ts';
import { possibleGrants, type Grant } from './rights.ts';
import { certainlyShared } from './shares.ts';

/** What a member would get on something by a move of it. */
export interface Gain {
  /** held before the move */
  readonly held: Holding;
  /** held after it, at some time, from some address; never empty */
  readonly flags: ReadonlySet<PermissionFlag>;
}

/**
 * What others would get on a file or folder in another folder of its container: there other lists decide. Below a folder nobody gets more
 * than on the folder itself. Shares and links stay as they are, because they belong to files.
 *
 * @param mover gets nothing here: see `assertNothingGained`
 */
export async function gainedByMove(
  ctx: Pick<Context, 'db' | 'clock'>,
  mover: { readonly memberId: string },
  { node, chain, container }: Place,
  to: Place,
): Promise<Gain[]> {
  const before = chain.map(({ id }) => id);
  const after = [node.id, ...to.chain.map(({ id }) => id)];
  const grants = await grantsOn(ctx, [...new Set([...before, ...after])]);
  const moved = [...grants].filter(
    ([member, own]) =>
      member !== mover.memberId && member !== container.owner_id && decidingOf(before, own) !== decidingOf(after, own),
  );
  if (moved.length === 0) return [];
  const shared = node.kind === 1 ? await certainlyShared(ctx, node.id) : undefined;
  return moved.flatMap(([member, own]) => {
    const held = heldBy(before, own, shared?.get(member));
    const flags = uncovered(held, possibleGrants(after, own));
    return flags.size === 0 ? [] : [{ held, flags }];
  });
}

/** The flags of grants that somebody doesn't hold whenever the conditions of those hold. */
export function uncovered(held: Holding, grants: readonly Grant[]): Set<PermissionFlag> {
  return new Set(
    grants.flatMap(({ flags, conditions }) => [...flags].filter((flag) => !covers(held, flag, conditions))),
  );
}

/** The files and folders of a way up whose lists name a member, the nearest first. */
export function decidingOf(chain: readonly string[], grants: ReadonlyMap<string, unknown>): string {
  return chain.filter((id) => grants.has(id)).join();
}
