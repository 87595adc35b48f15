import { equal } from 'node:assert/strict';
import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** A conversation of two, a group and a channel: every documented endpoint once, with success. Over any fetch-shaped transport. */
export async function runChatScenario(
  fetch: Fetch,
  base: string,
  { ada, bob }: Readonly<Record<'ada' | 'bob', HouseMember>>,
): Promise<void> {
  const call = async (who: HouseMember, method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(
      new Request(`${base}/api${path}`, {
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
    return JSON.parse(text).data;
  };

  const first = await call(ada, 'POST', '/conversations', { recipientId: bob.memberId, content: 'Tea is ready' });
  const one = `/conversations/${first.conversationId}`;
  const message = `${one}/messages/${first.id}`;
  const answer = { recipientId: ada.memberId, content: 'I come', replyToMessageId: first.id, clientId: 'bob-1' };
  const second = await call(bob, 'POST', '/conversations', answer);
  equal(second.replyToMessageId, first.id);
  equal((await call(ada, 'GET', `${one}/messages?limit=10`)).items.length, 2);
  equal((await call(ada, 'PUT', message, { content: 'Tea is cold' })).editHistory[0].content, 'Tea is ready');
  equal((await call(bob, 'GET', message)).content, 'Tea is cold');
  const { reactionId } = await call(bob, 'POST', `${message}/reactions`, { emoji: '🍵' });
  await call(bob, 'DELETE', `${message}/reactions/${reactionId}`);
  await call(bob, 'POST', `${message}/pin`);
  equal((await call(ada, 'GET', `${one}/pins`)).items[0].id, first.id);
  await call(ada, 'DELETE', `${message}/pin`);
  await call(bob, 'POST', `${one}/typing`, { typing: true });
  equal((await call(ada, 'POST', `${one}/read`, {})).unread, 0);
  await call(ada, 'PUT', `${one}/settings`, { notifications: 'mentions', pinned: true });
  equal((await call(ada, 'GET', `${one}/keys`)).keys.length, 1);
  equal((await call(ada, 'GET', '/conversations?limit=10')).items[0].lastMessagePreview, 'I come');
  await call(bob, 'DELETE', `${one}/messages/${second.id}`);
  equal((await call(ada, 'GET', '/conversations')).items[0].lastMessagePreview, null);
  await group(call, ada, bob);
  await channel(call, ada, bob);
  const promoted = await call(ada, 'POST', `${one}/promote`, { newMemberIds: [bob.memberId], name: 'Tea' });
  equal((await call(bob, 'GET', `/groups/${promoted.groupId}/messages`)).items[0].content, 'Tea is cold');
}

async function group(
  call: (who: HouseMember, method: string, path: string, body?: object) => Promise<Json>,
  ada: HouseMember,
  bob: HouseMember,
): Promise<void> {
  const made = await call(ada, 'POST', '/groups', { name: 'Garden', memberIds: [bob.memberId] });
  const one = `/groups/${made.id}`;
  const ofBob = `/${bob.memberId}`;
  equal((await call(bob, 'GET', one)).members.length, 2);
  const said = await call(bob, 'POST', `${one}/messages`, { content: `@${ada.username}, the gate is open` });
  equal((await call(ada, 'GET', '/groups')).items[0].mentionCount, 1);
  const message = `${one}/messages/${said.id}`;
  equal((await call(bob, 'PUT', message, { content: 'The gate is shut' })).editHistory.length, 1);
  equal((await call(ada, 'GET', message)).content, 'The gate is shut');
  const { reactionId } = await call(ada, 'POST', `${message}/reactions`, { emoji: '🌿' });
  await call(ada, 'DELETE', `${message}/reactions/${reactionId}`);
  await call(ada, 'POST', `${message}/pin`);
  equal((await call(bob, 'GET', `${one}/pins`)).items.length, 1);
  await call(ada, 'DELETE', `${message}/pin`);
  equal((await call(ada, 'GET', `${one}/messages`)).items.length, 1);
  await call(bob, 'POST', `${one}/typing`, {});
  await call(ada, 'POST', `${one}/read`, {});
  await call(bob, 'PUT', `${one}/settings`, { notifications: 'none' });
  equal((await call(bob, 'GET', `${one}/keys`)).epoch, 1);
  await call(ada, 'PUT', `${one}/roles${ofBob}`, { role: 'admin' });
  equal((await call(bob, 'GET', `${one}/members?role=admin`)).items.length, 1);
  await call(ada, 'POST', `${one}/mute${ofBob}`, { durationMs: 60_000 });
  await call(ada, 'DELETE', `${one}/mute${ofBob}`);
  await call(ada, 'DELETE', `${one}/members${ofBob}`);
  await call(ada, 'POST', `${one}/members`, { memberIds: [bob.memberId] });
  await call(ada, 'POST', `${one}/kick${ofBob}`, {});
  await call(ada, 'POST', `${one}/bans${ofBob}`, { durationMs: 60_000, reason: 'noise' });
  equal((await call(ada, 'GET', `${one}/bans`)).items.length, 1);
  await call(ada, 'DELETE', `${one}/bans${ofBob}`);
  await call(ada, 'POST', `${one}/members`, { memberIds: [bob.memberId] });
  await call(bob, 'POST', `${one}/leave`, {});
  await call(ada, 'DELETE', message);
  const log: readonly Json[] = (await call(ada, 'GET', `${one}/log`)).items;
  equal(log.filter(({ action }) => action === 'delete_message').length, 1);
  await call(ada, 'PUT', one, { name: 'Old garden' });
  await call(ada, 'DELETE', one);
}

async function channel(
  call: (who: HouseMember, method: string, path: string, body?: object) => Promise<Json>,
  ada: HouseMember,
  bob: HouseMember,
): Promise<void> {
  const made = await call(ada, 'POST', '/channels', { name: 'garden', visibility: 'public', topic: 'Roses' });
  const one = `/channels/${made.id}`;
  const ofBob = `/${bob.memberId}`;
  equal((await call(bob, 'GET', '/channels')).items[0].memberCount, 1);
  equal((await call(bob, 'GET', one)).joined, false);
  await call(bob, 'POST', `${one}/join`, {});
  const said = await call(bob, 'POST', `${one}/messages`, { content: 'The roses bloom' });
  const message = `${one}/messages/${said.id}`;
  equal((await call(bob, 'PUT', message, { content: 'The roses fade' })).editHistory.length, 1);
  const { reactionId } = await call(ada, 'POST', `${message}/reactions`, { emoji: '🌹' });
  await call(ada, 'DELETE', `${message}/reactions/${reactionId}`);
  await call(ada, 'POST', `${message}/pin`);
  equal((await call(bob, 'GET', one)).pinnedMessageIds.length, 1);
  await call(ada, 'DELETE', `${message}/pin`);
  equal((await call(ada, 'GET', `${one}/messages`)).items.length, 1);
  equal((await call(ada, 'GET', `${one}/messages/search?query=roses`)).items[0].id, said.id);
  equal((await call(ada, 'GET', '/chat/search?q=roses')).items.length, 1);
  equal((await call(bob, 'GET', `${one}/keys`)).keys.length, 1);
  equal((await call(bob, 'GET', '/channels/joined')).items.length, 1);
  await call(ada, 'PUT', `${one}/roles${ofBob}`, { role: 'moderator' });
  await call(ada, 'POST', `${one}/mute${ofBob}`, { durationMs: 60_000 });
  await call(ada, 'POST', `${one}/kick${ofBob}`, {});
  const invite = await call(ada, 'POST', `${one}/invites`, { maxUses: 1, expiresInMs: 60_000 });
  const token = `${one}/invites/${invite.token}`;
  equal((await call(bob, 'GET', token)).name, 'garden');
  await call(bob, 'POST', `${token}/redeem`, {});
  equal((await call(ada, 'GET', `${one}/invites`)).items.length, 0);
  const { inviteId } = await call(ada, 'POST', `${one}/invites`, {});
  await call(ada, 'DELETE', `${one}/invites/${inviteId}`);
  await call(bob, 'POST', `${one}/leave`, {});
  await call(ada, 'DELETE', message);
  await call(ada, 'PUT', one, { visibility: 'secret', historyVisibleToNewMembers: false });
  await call(ada, 'DELETE', one);
}
