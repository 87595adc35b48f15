import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import type { hubMembers } from '../../../contract/social/hub-members.ts';
import { Problem } from '../../../base/problem.ts';
import { readOwnKeys } from '../../../shared/group-keys/own-keys.ts';
import { requireReadable, roomOf } from './access.ts';
import { forbidden } from './problems.ts';

export async function listHubKeys(
  ctx: Context,
  actor: Actor,
  { id, sinceEpoch, limit }: InputOf<typeof hubMembers.listHubKeys>,
): Promise<ReplyOf<typeof hubMembers.listHubKeys>> {
  const { row, role } = await requireReadable(ctx, actor, id);
  if (role === undefined) throw forbidden('members');
  if (row.trust_tier !== 'encrypted')
    throw new Problem('missing', 'HUB_NOT_ENCRYPTED', 'This hub is not encrypted, so it has no keys.');
  return { hubId: id, ...(await readOwnKeys(ctx, actor, roomOf(id), { sinceEpoch, limit })) };
}
