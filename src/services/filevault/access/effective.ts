import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { PermissionFlag, PermissionLevel } from '../../../contract/filevault/limits.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { Problem } from '../../../base/problem.ts';
import { placeOf, requirePlace } from './places.ts';
import { changingFlags, levelOf, listOf } from './rights.ts';

interface Target {
  readonly targetType: 'file' | 'folder';
  readonly targetId: string;
}

interface Effective {
  flags: PermissionFlag[];
  level: PermissionLevel | 'custom' | 'none';
  inherited: boolean;
  source: string;
}

export async function showEffective(
  ctx: Context,
  actor: Actor,
  { targetType, targetId, principalId }: Target & { readonly principalId: string },
): Promise<Effective> {
  const own = await requirePlace(ctx, actor, targetType === 'file' ? 1 : 0, targetId);
  if (principalId === actor.memberId) return effectiveOf(own, targetId);
  const { flags } = own.rights;
  const isKnown = (await memberSummaries(ctx, [principalId])).has(principalId);
  if (!isKnown || !(flags.has('share') || flags.has('admin')))
    throw new Problem('missing', 'MEMBER_NOT_FOUND', 'There is no such member, or you may not ask for them.');
  const place = await placeOf(ctx, { memberId: principalId, address: actor.address }, targetId);
  return effectiveOf(place ?? own, targetId);
}

function effectiveOf(
  { rights, container }: Pick<Awaited<ReturnType<typeof requirePlace>>, 'rights' | 'container'>,
  id: string,
): Effective {
  const { owner, from, share } = rights;
  const flags = listOf(rights.flags).filter((flag) => container.state !== 'locked' || !changingFlags.has(flag));
  const listed = from === undefined ? 'none' : from === id ? 'own' : `folder:${from}`;
  const source = owner ? 'owner' : share === undefined ? listed : `share:${share}`;
  const inherited = !owner && share === undefined && from !== undefined && from !== id;
  return { flags, level: levelOf(rights.flags), inherited, source };
}
