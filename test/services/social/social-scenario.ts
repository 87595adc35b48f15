import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** Posts and people of the social network: every documented endpoint once, with success. Over any fetch-shaped transport. */
export async function runSocialScenario(
  fetch: Fetch,
  base: string,
  { ada, bob, administrator }: Readonly<Record<'ada' | 'bob' | 'administrator', HouseMember>>,
): Promise<void> {
  const call = async (who: HouseMember, method: string, path: string, body?: object): Promise<Json> => {
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
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text).data;
  };

  const [mine, theirs] = [{ userId: ada.memberId }, { userId: bob.memberId }];
  const profile = { ...mine, displayName: 'Ada', bio: 'Counts', approveFollowersMode: 'approve_none' };
  await call(ada, 'PUT', `/users/${ada.memberId}`, profile);
  await call(bob, 'GET', `/users/${ada.memberId}?requesterId=${bob.memberId}`);
  await call(bob, 'POST', `/users/${ada.memberId}/follow`, { followerId: bob.memberId });

  const { _id: id } = await call(ada, 'POST', '/posts', {
    authorId: ada.memberId,
    content: `Hello @${bob.username}, here is #tea`,
  });
  await call(bob, 'GET', `/posts/${id}`);
  await call(bob, 'POST', '/posts', { authorId: bob.memberId, content: 'Thank you', parentPostId: id });
  await call(bob, 'GET', `/posts/${id}/thread`);
  await call(ada, 'PUT', `/posts/${id}`, { ...mine, content: 'Hello, here is #tea and #coffee' });
  await call(bob, 'POST', `/posts/${id}/like`, theirs);
  await call(bob, 'DELETE', `/posts/${id}/like`, theirs);
  await call(bob, 'POST', `/posts/${id}/upvote`, theirs);
  await call(bob, 'POST', `/posts/${id}/downvote`, theirs);
  await call(bob, 'POST', `/posts/${id}/repost`, theirs);
  await call(bob, 'POST', `/posts/${id}/quote`, { ...theirs, commentary: 'Look at this' });

  await call(bob, 'GET', `/timeline/home?userId=${bob.memberId}&limit=1`);
  await call(bob, 'GET', '/timeline/public?sort=hot');
  await call(bob, 'GET', `/users/${ada.memberId}/feed?requestingUserId=${bob.memberId}&sort=top&topWindow=day`);
  await call(bob, 'GET', `/search?q=coffee&userId=${bob.memberId}`);
  await call(bob, 'GET', `/hashtag/coffee?userId=${bob.memberId}`);

  const { report } = await call(bob, 'POST', `/posts/${id}/report`, { ...theirs, reason: 'Too much coffee' });
  await call(administrator, 'GET', '/posts/reports?status=pending&limit=50');
  const review = { reviewerId: administrator.memberId, action: 'dismiss' };
  await call(administrator, 'POST', `/posts/reports/${report['_id']}/review`, review);
  await call(ada, 'DELETE', `/posts/${id}`, mine);

  await call(bob, 'DELETE', `/users/${ada.memberId}/follow`, { followerId: bob.memberId });
  await call(ada, 'POST', `/users/${bob.memberId}/block`, mine);
  await call(ada, 'DELETE', `/users/${bob.memberId}/block`, mine);
}
