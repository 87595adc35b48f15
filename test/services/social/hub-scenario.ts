import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** The life of a hub: every documented endpoint once, with success. Over any fetch-shaped transport. */
export async function runHubScenario(
  fetch: Fetch,
  base: string,
  { owner, member, other }: Readonly<Record<'owner' | 'member' | 'other', HouseMember>>,
): Promise<void> {
  const call = async (who: HouseMember, method: string, path: string, body?: unknown): Promise<Json> => {
    const response = await fetch(
      new Request(`${base}/api/social${path}`, {
        method,
        headers: {
          authorization: `Bearer ${who.token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    if (response.status === 204) return undefined;
    const answer = (await response.json()) as Json;
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const ownerId = owner.memberId;
  const userId = member.memberId;
  const moderatorId = ownerId;

  const { _id: id, slug } = await call(owner, 'POST', '/hubs', { ownerId, name: 'Garden', rules: 'Be kind' });
  const { _id: below } = await call(owner, 'POST', '/hubs', { name: 'Bees', parentHubId: id });
  await call(owner, 'GET', `/hubs?userId=${ownerId}`);
  await call(member, 'GET', '/hubs/explore?sort=new&q=garden');
  await call(member, 'GET', `/hubs/${slug}`);
  await call(owner, 'PUT', `/hubs/${id}`, { userId: ownerId, description: 'Who plants what' });
  await call(member, 'POST', `/hubs/${slug}/join`, { userId });
  await call(owner, 'POST', `/hubs/${id}/members`, { ownerId, userIds: [other.memberId] });
  await call(owner, 'GET', `/hubs/${id}/members-list`);
  await call(owner, 'DELETE', `/hubs/${id}/members`, { ownerId, userIds: [other.memberId] });
  await call(owner, 'POST', `/hubs/${id}/moderators`, { ownerId, userId });
  await call(owner, 'DELETE', `/hubs/${id}/moderators`, { ownerId, userId });
  await call(owner, 'GET', `/hubs/${id}/sub-hubs`);
  const { _id: postId } = await call(member, 'POST', '/posts', { content: 'Hello', hubIds: [id] });
  await call(owner, 'POST', `/posts/${postId}/upvote`, { userId: ownerId });
  await call(owner, 'GET', `/hubs/${id}/posts?userId=${ownerId}&sort=controversial`);
  await call(owner, 'GET', `/hubs/${id}/leaderboard`);
  await call(owner, 'POST', `/hubs/${id}/remove-post`, { moderatorId, postId });
  await call(owner, 'POST', `/hubs/${id}/warn`, { moderatorId, userId, reason: 'Be kind' });
  await call(member, 'GET', `/hubs/${id}/standing`);
  await call(owner, 'POST', `/hubs/${id}/temp-ban`, { moderatorId, userId, durationDays: 1, reason: 'Noise' });
  await call(owner, 'POST', `/hubs/${id}/ban`, { moderatorId, userId });
  await call(owner, 'GET', `/hubs/${id}/banned?userId=${moderatorId}`);
  await call(owner, 'POST', `/hubs/${id}/unban`, { moderatorId, userId });
  await call(owner, 'GET', `/hubs/${id}/moderation-log`);
  await call(member, 'POST', `/hubs/${id}/join`, { userId });
  await call(owner, 'POST', `/hubs/${id}/transfer`, { ownerId, newOwnerId: userId });
  await call(owner, 'POST', `/hubs/${id}/leave`, { userId: ownerId });
  await call(owner, 'DELETE', `/hubs/${below}`, { ownerId });
  await call(member, 'DELETE', `/hubs/${id}`, { ownerId: userId });
}
