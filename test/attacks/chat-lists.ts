import type { Scene } from '../services/passvault/scene.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import type { Request } from './file-lists.ts';
import type { Repeatable } from './repeatable-files.ts';

const root = '/api/conversations';

const types = ['group', 'channel'] as const;

type Type = 'direct' | (typeof types)[number];

/** A conversation of each type of the owner, in each scene. */
const made = new WeakMap<Scene, Readonly<Record<Type, string>>>();
/** In each of them a message that has several answers. */
const answered = new WeakMap<Scene, Readonly<Record<Type, string>>>();

/** The lists that groups and channels have. */
const ofRooms = Object.fromEntries(
  types.flatMap((type) =>
    ['messages', 'members', 'bans', 'log'].map((path) => [
      `chat.${type}-${path}`,
      (scene: Scene): readonly Request[] => {
        const id = made.get(scene)?.[type];
        return id === undefined ? [] : [{ path: `/api/${type}s/${id}/${path}` }];
      },
    ]),
  ),
);

/** The threads that all of them have. */
const ofThreads = Object.fromEntries(
  (['direct', ...types] as const).flatMap((type) => {
    const below = (scene: Scene, paths: (root: string | undefined) => readonly string[]): readonly Request[] => {
      const id = made.get(scene)?.[type];
      const at = type === 'direct' ? root : `/api/${type}s`;
      return id === undefined
        ? []
        : paths(answered.get(scene)?.[type]).map((path) => ({ path: `${at}/${id}/${path}` }));
    };
    return [
      [`chat.${type}-threads`, (scene: Scene) => below(scene, () => ['threads', 'threads?following=true'])],
      [`chat.${type}-thread`, (scene: Scene) => below(scene, (message) => [`threads/${message}`])],
    ] as const;
  }),
);

/** The lists of conversations. */
export const chatLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'chat.conversations': () => [{ path: root }, { path: `${root}?archived=true` }],
  'chat.direct-messages': (scene) => {
    const id = made.get(scene)?.direct;
    return id === undefined ? [] : [{ path: `${root}/${id}/messages` }];
  },
  'chat.groups': () => [{ path: '/api/groups' }],
  'chat.channels': () => [{ path: '/api/channels' }],
  'chat.joined-channels': () => [{ path: '/api/channels/joined' }],
  'chat.scheduled': () => [{ path: '/api/chat/scheduled' }],
  'chat.search': () => [{ path: '/api/chat/search?q=from:me' }],
  'chat.search-channel': (scene) => {
    const id = made.get(scene)?.channel;
    return id === undefined ? [] : [{ path: `/api/channels/${id}/messages/search?query=from:me` }];
  },
  ...ofRooms,
  ...ofThreads,
};

/** Lists whose first page is the last part of the whole. */
export const newestFirst: ReadonlySet<string> = new Set([
  'chat.direct-messages',
  'chat.group-messages',
  'chat.channel-messages',
  'chat.direct-thread',
  'chat.group-thread',
  'chat.channel-thread',
  'social.messages',
]);

async function asked(scene: Scene, method: 'POST' | 'PUT', path: string, body: object) {
  const { house, owner } = scene;
  house.clock.advance(1);
  const at = path.startsWith('/api/') ? path : root + path;
  const answer = await house.api(method, at, { token: owner.token, body });
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** So that each of them has a second page. @returns four other members */
export async function fillChat(scene: Scene): Promise<HouseMember[]> {
  const friends = [];
  for (let at = 0; at < 4; at += 1) friends.push(await scene.house.register());
  for (const [at, { memberId: recipientId }] of friends.entries()) {
    const { conversationId, id } = await asked(scene, 'POST', '', { recipientId, content: 'First' });
    if (at < 2) await asked(scene, 'PUT', `/${conversationId}/settings`, { archived: true });
    if (at < 3) continue;
    const memberIds = friends.map((friend) => friend.memberId);
    const group = await fillRooms(scene, '/api/groups', { memberIds }, memberIds);
    const channel = await fillRooms(scene, '/api/channels', { visibility: 'public' }, memberIds);
    made.set(scene, { direct: conversationId, group: group.id, channel: channel.id });
    answered.set(scene, { direct: id, group: group.answered, channel: channel.answered });
    await asked(scene, 'POST', '', { recipientId, content: 'Second', replyToMessageId: id });
    const { id: more } = await asked(scene, 'POST', '', { recipientId, content: 'More' });
    for (const replyToMessageId of [id, more])
      await asked(scene, 'POST', '', { recipientId, content: 'Answer', replyToMessageId });
    const { id: last } = await asked(scene, 'POST', '', { recipientId, content: 'Third' });
    for (const minutes of [3, 1, 2])
      await asked(scene, 'POST', `/${conversationId}/scheduled`, laterIn(scene, minutes));
    // A page with an edited one costs one statement more than a page without.
    await asked(scene, 'PUT', `/${conversationId}/messages/${last}`, { content: 'Third, changed' });
  }
  return friends;
}

/** @returns a group or channel with several of everything that those list, and one of its messages that has several answers */
async function fillRooms(scene: Scene, rooms: string, fields: object, memberIds: readonly string[]) {
  for (const name of ['one', 'two']) await asked(scene, 'POST', rooms, { name, ...fields });
  const { id } = await asked(scene, 'POST', rooms, { name: 'three', ...fields });
  if (rooms.endsWith('channels')) await asked(scene, 'POST', `${rooms}/${id}/members`, { memberIds });
  const said = [];
  for (const content of ['First', 'Second'])
    said.push(await asked(scene, 'POST', `${rooms}/${id}/messages`, { content }));
  for (const at of [0, 1, 0])
    await asked(scene, 'POST', `${rooms}/${id}/messages`, { content: 'Answer', replyToMessageId: said[at].id });
  for (const memberId of memberIds.slice(0, 3)) await asked(scene, 'POST', `${rooms}/${id}/bans/${memberId}`, {});
  return { id, answered: said[0].id } as { readonly id: string; readonly answered: string };
}

function laterIn({ house }: Scene, minutes: number): object {
  return { content: 'Later', sendAt: new Date(house.clock.now() + minutes * 60_000).toISOString() };
}

async function groupOf(scene: Scene): Promise<string> {
  const { memberId } = await scene.house.register();
  return `/api/groups/${(await asked(scene, 'POST', '/api/groups', { name: 'Group', memberIds: [memberId] })).id}`;
}

async function channelOf(scene: Scene): Promise<string> {
  const { id } = await asked(scene, 'POST', '/api/channels', { name: 'channel', visibility: 'public' });
  const { memberId } = await scene.house.register();
  await asked(scene, 'POST', `/api/channels/${id}/members`, { memberIds: [memberId] });
  return `/api/channels/${id}`;
}

/** What groups and channels have of them. @param make answers the path of one with two members */
function repeatableIn(
  type: 'group' | 'channel',
  make: (scene: Scene) => Promise<string>,
): Record<string, (scene: Scene) => Promise<Repeatable>> {
  return {
    [`chat.${type}-create-webhook`]: async (scene) => ({
      path: `${await make(scene)}/webhooks`,
      body: { name: 'once' },
      count: async () => (await scene.house.ctx.db.selectFrom('room_hooks').select('id').execute()).length,
      effects: 1,
    }),
    [`chat.send-to-${type}`]: async (scene) => ({
      path: `${await make(scene)}/messages`,
      body: { content: 'Once' },
      count: async () => (await scene.house.ctx.db.selectFrom('conversation_messages').select('id').execute()).length,
      effects: 1,
    }),
    [`chat.${type}-schedule`]: async (scene) => ({
      path: `${await make(scene)}/scheduled`,
      body: laterIn(scene, 10),
      count: async () => (await scene.house.ctx.db.selectFrom('conversation_scheduled').select('id').execute()).length,
      effects: 1,
    }),
    [`chat.${type}-add-members`]: async (scene) => ({
      path: `${await make(scene)}/members`,
      body: { memberIds: [(await scene.house.register()).memberId] },
      count: async () => (await scene.house.ctx.db.selectFrom('room_members').select('role').execute()).length,
      // Its owner and its first member are counted too.
      effects: 3,
    }),
    [`chat.${type}-react`]: async (scene) => {
      const room = await make(scene);
      const { id } = await asked(scene, 'POST', `${room}/messages`, { content: 'Once' });
      return {
        path: `${room}/messages/${id}/reactions`,
        body: { emoji: '👍' },
        count: async () =>
          (await scene.house.ctx.db.selectFrom('conversation_reactions').select('id').execute()).length,
        effects: 1,
      };
    },
  };
}

/** The operations of conversations that take a key. */
export const repeatableChat: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'chat.send-direct': async ({ house }) => ({
    path: root,
    body: { recipientId: (await house.register()).memberId, content: 'Once' },
    count: async () => (await house.ctx.db.selectFrom('conversation_messages').select('id').execute()).length,
    effects: 1,
  }),
  'chat.upload-attachment': async ({ house }) => ({
    path: '/api/chat/attachments?filename=once.txt',
    rawBody: 'once',
    contentType: 'text/plain',
    count: async () => (await house.ctx.db.selectFrom('conversation_attachments').select('id').execute()).length,
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
  'chat.create-channel': async ({ house }) => ({
    path: '/api/channels',
    body: { name: 'once', visibility: 'private' },
    count: async () => (await house.ctx.db.selectFrom('conversations').select('id').execute()).length,
    effects: 1,
  }),
  'chat.create-bot': async (scene) => ({
    path: '/api/chat/bots',
    body: { name: 'once', scopes: [`chat:${(await groupOf(scene)).split('/').at(-1)}:read`] },
    count: async () => (await scene.house.ctx.db.selectFrom('bot_tokens').select('id').execute()).length,
    effects: 1,
  }),
  'chat.create-invite': async (scene) => ({
    path: `${await channelOf(scene)}/invites`,
    body: {},
    count: async () => (await scene.house.ctx.db.selectFrom('room_invites').select('id').execute()).length,
    effects: 1,
  }),
  ...repeatableIn('group', groupOf),
  ...repeatableIn('channel', channelOf),
  'chat.direct-schedule': async (scene) => {
    const { house } = scene;
    const { memberId: recipientId } = await house.register();
    const { conversationId } = await asked(scene, 'POST', '', { recipientId, content: 'Once' });
    return {
      path: `${root}/${conversationId}/scheduled`,
      body: laterIn(scene, 10),
      count: async () => (await house.ctx.db.selectFrom('conversation_scheduled').select('id').execute()).length,
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
