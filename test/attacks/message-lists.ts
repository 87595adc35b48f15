import type { Scene } from '../services/passvault/scene.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import type { Request } from './file-lists.ts';
import type { Repeatable } from './repeatable-files.ts';

const root = '/api/social/messages';

/** A conversation in each scene. */
const made = new WeakMap<Scene, string>();

const inConversation = (scene: Scene, path: string): readonly Request[] => {
  const id = made.get(scene);
  return id === undefined ? [] : [{ path: `${root}/conversations/${id}/${path}` }];
};

/** The lists of messages of the social network. */
export const messageLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'social.conversations': () => [{ path: `${root}/conversations` }, { path: `${root}/conversations?archived=true` }],
  'social.messages': (scene) => inConversation(scene, 'messages'),
  'social.search-conversation': (scene) => inConversation(scene, 'search?q=from:me'),
  'social.search-messages': () => [{ path: `${root}/search?q=from:me` }],
  'social.message-requests': () => [{ path: `${root}/requests` }, { path: `${root}/requests?status=declined` }],
  'social.message-reports': () => [{ path: `${root}/reports` }, { path: `${root}/reports?status=dismissed` }],
};

async function asked({ house }: Scene, who: HouseMember, path: string, body: object = {}) {
  house.clock.advance(1);
  const answer = await house.api('POST', root + path, { token: who.token, body });
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

async function conversationOf(scene: Scene): Promise<{ id: string; other: HouseMember }> {
  const other = await scene.house.register();
  const { conversationId: id } = await asked(scene, other, '/conversations', { otherUserId: scene.owner.memberId });
  await asked(scene, scene.owner, `/requests/${id}/accept`);
  return { id, other };
}

/** Four messages that the other one reported, two of which an administrator has looked at. */
async function fillReports(scene: Scene, other: HouseMember, id: string): Promise<void> {
  const administrator = await scene.house.administrator();
  for (let at = 0; at < 4; at += 1) {
    const { _id: messageId } = await asked(scene, scene.owner, `/conversations/${id}/messages`, {
      content: `No ${at}`,
    });
    await asked(scene, other, `/${messageId}/report`, { reason: 'A test' });
    if (at >= 2) continue;
    const waiting = await scene.house.api('GET', `${root}/reports`, { token: administrator.token });
    const [{ _id: reportId }] = waiting.body.data.reports;
    await asked(scene, administrator, `/reports/${reportId}/review`, { action: 'dismiss' });
  }
}

/** So that each of them has a second page. @param friends four of them */
export async function fillMessages(scene: Scene, friends: readonly HouseMember[]): Promise<void> {
  const { owner } = scene;
  const [other] = friends as readonly [HouseMember];
  const group = { type: 'group', name: 'One of four', participantIds: [other.memberId] };
  for (let at = 0; at < 4; at += 1) {
    const { _id: id } = await asked(scene, owner, '/conversations', group);
    if (at < 2) await asked(scene, owner, `/conversations/${id}/archive`);
    if (at < 3) continue;
    made.set(scene, id);
    const { _id: messageId } = await asked(scene, owner, `/conversations/${id}/messages`, { content: 'First' });
    await fillReports(scene, other, id);
    // A page with one of them costs one statement more than a page without.
    for (let again = 0; again < 2; again += 1)
      await asked(scene, owner, `/${messageId}/forward`, { targetConversationId: id });
  }
  for (const [at, friend] of friends.entries()) {
    const begun = { otherUserId: owner.memberId, content: 'May I?' };
    const { conversationId } = await asked(scene, friend, '/conversations', begun);
    if (at < 2) await asked(scene, owner, `/requests/${conversationId}/decline`);
  }
}

type Counted =
  | 'conversations'
  | 'conversation_messages'
  | 'conversation_reactions'
  | 'conversation_reports'
  | 'room_members';

const counted =
  ({ house }: Scene, table: Counted) =>
  async (): Promise<number> =>
    (await house.ctx.db.selectFrom(table).selectAll().execute()).length;

/** A message of another member, and what the owner does about it. */
async function aboutMessage(
  scene: Scene,
  what: string,
  table: Counted,
  body: object,
  effects = 1,
): Promise<Repeatable> {
  const { id, other } = await conversationOf(scene);
  const { _id: messageId } = await asked(scene, other, `/conversations/${id}/messages`, { content: 'Once' });
  const into = what === 'forward' ? { targetConversationId: id } : {};
  return { path: `${root}/${messageId}/${what}`, body: { ...body, ...into }, count: counted(scene, table), effects };
}

/** The operations of messages that take a key. */
export const repeatableMessages: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'social.begin-conversation': async (scene) => ({
    path: `${root}/conversations`,
    body: { otherUserId: (await scene.house.register()).memberId, content: 'Once' },
    count: counted(scene, 'conversations'),
    effects: 1,
  }),
  'social.send-message': async (scene) => ({
    path: `${root}/conversations/${(await conversationOf(scene)).id}/messages`,
    body: { content: 'Once' },
    count: counted(scene, 'conversation_messages'),
    effects: 1,
  }),
  'social.forward-message': async (scene) => await aboutMessage(scene, 'forward', 'conversation_messages', {}, 2),
  'social.react-to-message': async (scene) =>
    await aboutMessage(scene, 'reactions', 'conversation_reactions', { emoji: '👍' }),
  'social.report-message': async (scene) =>
    await aboutMessage(scene, 'report', 'conversation_reports', { reason: 'Once' }),
  'social.add-participants': async (scene) => {
    const { house, owner } = scene;
    const [first, second] = [await house.register(), await house.register()];
    const group = { type: 'group', name: 'Once', participantIds: [first.memberId] };
    const { _id: id } = await asked(scene, owner, '/conversations', group);
    return {
      path: `${root}/conversations/${id}/participants`,
      body: { userIds: [second.memberId] },
      count: counted(scene, 'room_members'),
      // Its owner and its first member are counted too.
      effects: 3,
    };
  },
};
