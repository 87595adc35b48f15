import type { Scene } from '../services/passvault/scene.ts';
import type { Request } from './file-lists.ts';
import type { Repeatable } from './repeatable-files.ts';

const root = '/api/conversations';

/** A conversation and a group of the owner, in each scene. */
const made = new WeakMap<Scene, { readonly direct: string; readonly group: string }>();

const ofGroup = (scene: Scene, path: string): readonly Request[] => {
  const group = made.get(scene)?.group;
  return group === undefined ? [] : [{ path: `/api/groups/${group}/${path}` }];
};

/** The lists of conversations. */
export const chatLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'chat.conversations': () => [{ path: root }, { path: `${root}?archived=true` }],
  'chat.direct-messages': (scene) => {
    const id = made.get(scene)?.direct;
    return id === undefined ? [] : [{ path: `${root}/${id}/messages` }];
  },
  'chat.groups': () => [{ path: '/api/groups' }],
  'chat.group-messages': (scene) => ofGroup(scene, 'messages'),
  'chat.group-members': (scene) => ofGroup(scene, 'members'),
  'chat.group-bans': (scene) => ofGroup(scene, 'bans'),
  'chat.group-log': (scene) => ofGroup(scene, 'log'),
};

/** Lists whose first page is the last part of the whole. */
export const newestFirst: ReadonlySet<string> = new Set(['chat.direct-messages', 'chat.group-messages']);

async function asked(scene: Scene, method: 'POST' | 'PUT', path: string, body: object) {
  const { house, owner } = scene;
  house.clock.advance(1);
  const at = path.startsWith('/api/') ? path : root + path;
  const answer = await house.api(method, at, { token: owner.token, body });
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** So that each of them has a second page. */
export async function fillChat(scene: Scene): Promise<void> {
  const friends = [];
  for (let at = 0; at < 4; at += 1) friends.push(await scene.house.register());
  for (const [at, { memberId: recipientId }] of friends.entries()) {
    const { conversationId, id } = await asked(scene, 'POST', '', { recipientId, content: 'First' });
    if (at < 2) await asked(scene, 'PUT', `/${conversationId}/settings`, { archived: true });
    if (at < 3) continue;
    const group = await fillGroups(
      scene,
      friends.map(({ memberId }) => memberId),
    );
    made.set(scene, { direct: conversationId, group });
    await asked(scene, 'POST', '', { recipientId, content: 'Second', replyToMessageId: id });
    const { id: last } = await asked(scene, 'POST', '', { recipientId, content: 'Third' });
    // A page with an edited one costs one statement more than a page without.
    await asked(scene, 'PUT', `/${conversationId}/messages/${last}`, { content: 'Third, changed' });
  }
}

/** @returns the id of a group with several of everything that groups list */
async function fillGroups(scene: Scene, memberIds: readonly string[]): Promise<string> {
  const groups = '/api/groups';
  for (const name of ['One', 'Two']) await asked(scene, 'POST', groups, { name, memberIds });
  const { id } = await asked(scene, 'POST', groups, { name: 'Three', memberIds });
  for (const content of ['First', 'Second', 'Third'])
    await asked(scene, 'POST', `${groups}/${id}/messages`, { content });
  for (const memberId of memberIds.slice(0, 3)) await asked(scene, 'POST', `${groups}/${id}/bans/${memberId}`, {});
  return id;
}

async function groupOf(scene: Scene): Promise<string> {
  const { memberId } = await scene.house.register();
  return (await asked(scene, 'POST', '/api/groups', { name: 'Group', memberIds: [memberId] })).id;
}

/** The operations of conversations that take a key. */
export const repeatableChat: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'chat.send-direct': async ({ house }) => ({
    path: root,
    body: { recipientId: (await house.register()).memberId, content: 'Once' },
    count: async () => (await house.ctx.db.selectFrom('conversation_messages').select('id').execute()).length,
    effects: 1,
  }),
  'chat.promote': async (scene) => {
    const { house } = scene;
    const [other, third] = [await house.register(), await house.register()];
    const { conversationId } = await asked(scene, 'POST', '', { recipientId: other.memberId, content: 'Once' });
    return {
      path: `${root}/${conversationId}/promote`,
      body: { newMemberIds: [third.memberId] },
      count: async () =>
        (await house.ctx.db.selectFrom('conversations').where('type', '=', 'group').select('id').execute()).length,
      effects: 1,
    };
  },
  'chat.create-group': async ({ house }) => ({
    path: '/api/groups',
    body: { name: 'Once', memberIds: [(await house.register()).memberId] },
    count: async () => (await house.ctx.db.selectFrom('conversations').select('id').execute()).length,
    effects: 1,
  }),
  'chat.send-to-group': async (scene) => {
    const { house } = scene;
    const group = await groupOf(scene);
    return {
      path: `/api/groups/${group}/messages`,
      body: { content: 'Once' },
      count: async () => (await house.ctx.db.selectFrom('conversation_messages').select('id').execute()).length,
      effects: 1,
    };
  },
  'chat.group-add-members': async (scene) => {
    const { house } = scene;
    const group = await groupOf(scene);
    return {
      path: `/api/groups/${group}/members`,
      body: { memberIds: [(await house.register()).memberId] },
      count: async () =>
        (await house.ctx.db.selectFrom('room_members').where('room_id', '=', group).select('role').execute()).length,
      // Its owner and its first member are counted too.
      effects: 3,
    };
  },
  'chat.group-react': async (scene) => {
    const { house } = scene;
    const group = await groupOf(scene);
    const { id } = await asked(scene, 'POST', `/api/groups/${group}/messages`, { content: 'Once' });
    return {
      path: `/api/groups/${group}/messages/${id}/reactions`,
      body: { emoji: '👍' },
      count: async () => (await house.ctx.db.selectFrom('conversation_reactions').select('id').execute()).length,
      effects: 1,
    };
  },
  'chat.direct-react': async (scene) => {
    const { house } = scene;
    const { memberId: recipientId } = await house.register();
    const { conversationId, id } = await asked(scene, 'POST', '', { recipientId, content: 'Once' });
    return {
      path: `${root}/${conversationId}/messages/${id}/reactions`,
      body: { emoji: '👍' },
      count: async () => (await house.ctx.db.selectFrom('conversation_reactions').select('id').execute()).length,
      effects: 1,
    };
  },
};
