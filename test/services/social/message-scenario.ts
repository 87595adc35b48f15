import { equal } from 'node:assert/strict';
import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** Messages of the social network: every documented endpoint once, with success. Over any fetch-shaped transport. */
export async function runMessageScenario(
  fetch: Fetch,
  base: string,
  { ada, bob, cleo, administrator }: Readonly<Record<'ada' | 'bob' | 'cleo' | 'administrator', HouseMember>>,
): Promise<void> {
  const call = async (who: HouseMember, method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(
      new Request(`${base}/api/social/messages${path}`, {
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

  const asked = await call(ada, 'POST', '/conversations', { otherUserId: bob.username, content: 'Is there tea?' });
  equal((await call(bob, 'GET', '/requests')).requests[0].messagePreview, 'Is there tea?');
  equal((await call(bob, 'POST', `/requests/${asked.conversationId}/accept`)).request.status, 'accepted');
  const declined = await call(cleo, 'POST', '/conversations', { userId: cleo.memberId, otherUserId: bob.memberId });
  await call(bob, 'POST', `/requests/${declined.conversationId}/decline`, { userId: bob.memberId });

  const one = `/conversations/${asked.conversationId}`;
  const answer = await call(bob, 'POST', `${one}/messages`, { senderId: bob.memberId, content: 'There is tee' });
  equal((await call(bob, 'PUT', `/${answer['_id']}`, { content: 'There is tea' })).content, 'There is tea');
  await call(ada, 'POST', `/${answer['_id']}/reactions`, { userId: ada.memberId, emoji: '🍵' });
  await call(ada, 'DELETE', `/${answer['_id']}/reactions/${encodeURIComponent('🍵')}`);
  equal((await call(ada, 'GET', `${one}/messages?limit=10`)).messages.length, 2);
  equal((await call(ada, 'POST', `${one}/read`, { messageId: answer['_id'] })).lastReadMessageId, answer['_id']);
  await call(ada, 'POST', `${one}/typing`, {});
  for (const mark of ['pin', 'mute']) {
    await call(ada, 'POST', `${one}/${mark}`);
    await call(ada, 'DELETE', `${one}/${mark}`);
  }
  for (const mark of ['archive', 'unarchive']) await call(ada, 'POST', `${one}/${mark}`);
  equal((await call(ada, 'GET', `${one}/search?q=tea`)).messages.length, 2);
  equal((await call(ada, 'GET', '/search?q=tea&limit=1')).hasMore, true);

  const made = { type: 'group', name: 'Tea', participantIds: [bob.memberId], userId: ada.memberId };
  const group = await call(ada, 'POST', '/conversations', made);
  const room = `/conversations/${group['_id']}`;
  equal((await call(ada, 'POST', `${room}/participants`, { userIds: [cleo.username] })).participantIds.length, 3);
  equal((await call(cleo, 'PUT', `${room}/settings`, { name: 'Tea and cake' })).name, 'Tea and cake');
  const carried = await call(ada, 'POST', `/${answer['_id']}/forward`, { targetConversationId: group['_id'] });
  equal(carried.forwardedFromId, answer['_id']);
  equal((await call(cleo, 'GET', `${room}/messages`)).messages[0].forwardedFromId, null);
  await call(cleo, 'POST', `/${carried['_id']}/report`, { reason: 'Too much tea' });
  const { reports } = await call(administrator, 'GET', '/reports');
  equal(reports[0].content, 'There is tea');
  await call(administrator, 'POST', `/reports/${reports[0]['_id']}/review`, { action: 'dismiss' });
  equal((await call(ada, 'DELETE', `${room}/participants/${cleo.memberId}`)).participantIds.length, 2);

  equal((await call(ada, 'GET', '/conversations?limit=10')).conversations.length, 2);
  equal((await call(ada, 'GET', one)).lastMessagePreview, 'There is tea');
  await call(bob, 'DELETE', `/${answer['_id']}`);
  await call(ada, 'DELETE', one);
  equal((await call(ada, 'GET', '/conversations')).conversations.length, 1);
}
