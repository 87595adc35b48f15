import { describe, expect, it } from 'vitest';
import { channels } from '../../../../src/contract/chat/channels.ts';
import { groups } from '../../../../src/contract/chat/groups.ts';
import { messages } from '../../../../src/contract/chat/messages.ts';
import { moderation } from '../../../../src/contract/chat/moderation.ts';
import { chat } from '../../../../src/contract/chat.ts';
import { conversations } from '../../../../src/contract/social/conversations.ts';
import { messages as socialMessages } from '../../../../src/contract/social/messages.ts';
import type { Operation } from '../../../../src/contract/operation.ts';
import { actorFieldsOf, placesOf } from '../../../../src/http/input.ts';
import { engines } from '../../../support/stores.ts';
import { allRows } from '../../passvault/store-contents.ts';
import { channelOf, done, groupOf } from '../chat-scene.ts';
import { openFiles } from '../files-scene.ts';
import { openChat, said, type ChatScene } from '../scene.ts';

const operations = Object.values<Operation>(chat);

/** Names by which requests elsewhere say who acts. */
const names = ['senderId', 'creatorId', 'userId', 'authorId', 'ownerId', 'moderatorId', 'requesterId', 'actorId'];

/** Ann and bob are in a conversation of each type, in which each has said something. */
async function openEach(scene: ChatScene) {
  const { house, ann, bob } = scene;
  const direct = await scene.say(ann, bob, 'Mine');
  await scene.say(bob, ann, 'His');
  const group = await groupOf(house, [ann, bob]);
  const channel = await channelOf(house, [ann, bob]);
  const ofGroup = await done(house, groups.sendToGroup, ann, { conversationId: group, content: 'Mine' });
  const ofChannel = await done(house, channels.sendToChannel, ann, { conversationId: channel, content: 'Mine' });
  const targets = {
    conversations: { conversationId: direct.conversationId, messageId: direct.id },
    groups: { conversationId: group, messageId: ofGroup.id },
    channels: { conversationId: channel, messageId: ofChannel.id },
  };
  return {
    targets,
    /** an address of an operation in one of them */
    pathOf(operation: Operation): string {
      const type = /^\/api\/(conversations|groups|channels)/.exec(operation.path)?.[1] as keyof typeof targets;
      const ids: Record<string, string> = { ...targets[type], memberId: bob.memberId };
      return operation.path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? '0'.repeat(32));
    },
  };
}

describe.each(engines)('requests of conversations on %s', (engine) => {
  it('are made by the member of the token: another one in the field of the sender is refused, and nothing happens', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const { pathOf } = await openEach(scene);
    const body = {
      recipientId: bob.memberId,
      name: 'theirs',
      memberIds: [bob.memberId],
      visibility: 'public',
      content: 'x',
    };
    const before = await allRows(house.ctx, /conversation|room/);
    let asked = 0;
    for (const operation of operations)
      for (const field of actorFieldsOf(operation)) {
        const ask = async (token: string | undefined, memberId: string) =>
          said(await house.api(operation.method, pathOf(operation), { token, body: { ...body, [field]: memberId } }));
        expect([operation.id, await ask(ann.token, cleo.memberId)]).toEqual([operation.id, '403 FORBIDDEN']);
        expect([operation.id, await ask(undefined, ann.memberId)]).toEqual([operation.id, '401 UNAUTHORIZED']);
        asked += 1;
      }
    expect(asked).toBe(5);
    expect(await allRows(house.ctx, /conversation|room/)).toEqual(before);
  });

  it('are made by the member of the token, and read what is theirs, whatever other names say', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const { targets, pathOf } = await openEach(scene);
    await scene.say(cleo, bob, 'Nothing for ann');
    let read = 0;
    for (const operation of operations.filter(({ method, form }) => method === 'GET' && form !== 'raw')) {
      const path = `${pathOf(operation)}?q=mine&query=mine&memberIds=${bob.memberId}`;
      // A member whose name the documents say may be asked for is no actor.
      const forged = names.filter((name) => !placesOf(operation).query.includes(name));
      const query = forged.map((name) => `&${name}=${bob.memberId}`).join('');
      const [plain, other] = [
        await house.api('GET', path, { token: ann.token }),
        await house.api('GET', path + query, { token: ann.token }),
      ];
      expect([operation.id, other.status, other.body]).toEqual([operation.id, plain.status, plain.body]);
      expect([operation.id, said(await house.api('GET', path + query))]).toEqual([operation.id, '401 UNAUTHORIZED']);
      read += 1;
    }
    expect(read).toBeGreaterThan(35);
    const forged = Object.fromEntries(names.filter((name) => name !== 'senderId').map((name) => [name, bob.memberId]));
    const { conversationId, messageId } = targets.groups;
    const post = async (path: string, body: object, method: 'POST' | 'PUT' = 'POST') => {
      const answer = await house.api(method, `/api/groups/${conversationId}${path}`, {
        token: ann.token,
        body: { ...body, ...forged, memberId: bob.memberId },
      });
      expect([path, answer.status < 300]).toEqual([path, true]);
      return answer.body.data;
    };
    expect(await post('/messages', { content: 'Hers' })).toMatchObject({ senderId: ann.memberId });
    await post(`/messages/${messageId}/reactions`, { emoji: '👍' });
    await post('/read', {});
    await post('/settings', { pinned: true }, 'PUT');
    const shown = await done(house, messages.groupMessage, bob, { conversationId, messageId });
    expect(shown.reactions.map(({ memberId }) => memberId)).toEqual([ann.memberId]);
    // Bob has read nothing by that, and nothing is pinned for him.
    expect(await done(house, groups.showGroup, bob, { conversationId })).toMatchObject({ readSeq: 0, pinned: false });
  });

  it('are answered with what no cache may keep, and with nothing that tells of changes elsewhere', async () => {
    await using scene = await openFiles(engine);
    const { house, ann, bob } = scene;
    const { pathOf } = await openEach(scene);
    const { id } = await scene.uploaded(ann, 'Text');
    await scene.say(ann, bob, 'A file', { attachments: [id] });
    const reading: readonly Operation[] = [
      ...operations,
      ...Object.values<Operation>(conversations),
      ...Object.values<Operation>(socialMessages),
    ].filter(({ method, form }) => method === 'GET' && form !== 'raw');
    for (const operation of reading)
      for (const token of [ann.token, undefined]) {
        const path = `${pathOf(operation)}?q=mine&query=mine&memberIds=${bob.memberId}`;
        const { headers } = await house.api('GET', path, { token });
        expect([operation.id, headers.get('cache-control'), headers.get('etag')]).toEqual([
          operation.id,
          'no-store',
          null,
        ]);
      }
    const file = await scene.get(bob, id);
    expect(file.status).toBe(200);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it('for pages that there cannot be are refused', async () => {
    await using scene = await openChat(engine);
    const { house, ann } = scene;
    const { pathOf } = await openEach(scene);
    let asked = 0;
    for (const operation of operations.filter((one) => one.method === 'GET' && placesOf(one).query.includes('limit'))) {
      const ask = async (query: string) =>
        said(await house.api('GET', `${pathOf(operation)}?q=mine&query=mine&${query}`, { token: ann.token }));
      for (const limit of ['0', '-1', '1e9', '1000000000', 'NaN', '1.5', '', 'all'])
        expect([operation.id, limit, await ask(`limit=${limit}`)]).toEqual([
          operation.id,
          limit,
          '400 VALIDATION_ERROR',
        ]);
      if (placesOf(operation).query.includes('cursor'))
        for (const cursor of ['x', 'AAAA', '%00', '%F0%9F', '..'])
          expect([operation.id, cursor, await ask(`cursor=${cursor}`)]).toEqual([
            operation.id,
            cursor,
            expect.stringMatching(/^400 (INVALID_CURSOR|VALIDATION_ERROR)$/),
          ]);
      asked += 1;
    }
    expect(asked).toBeGreaterThan(12);
    expect(house.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe.each(engines)('searches of conversations on %s', (engine) => {
  it('are words, whatever characters they have, and fail with a reason', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const { targets } = await openEach(scene);
    const content = `100% of "tea" (and) don't; 'drop' NEAR*cake -- 👍🏽 <b>bold</b>`;
    const { conversationId } = targets.channels;
    await done(house, channels.sendToChannel, ann, { conversationId, content });
    const found = async (q: string) => {
      const answers = await Promise.all(
        [
          `/api/chat/search?q=${encodeURIComponent(q)}`,
          `/api/channels/${conversationId}/messages/search?query=${encodeURIComponent(q)}`,
        ].map(async (path) => await house.api('GET', path, { token: bob.token })),
      );
      const all = answers.map(({ status, body }) =>
        status === 200 ? body.data.items.length : `${status} ${body.error.reason}`,
      );
      expect(all[1]).toEqual(all[0]);
      return all[0] as unknown;
    };
    for (const q of [
      '"tea"',
      'tea*cake',
      'NEAR(tea cake)',
      '-tea',
      "don't",
      '100%',
      '<b>bold',
      'tea AND (cake',
      '"tea',
    ])
      expect([q, await found(q)]).toEqual([q, 1]);
    for (const q of ['%%', '__', '**', '""', "' or 1=1 --", 'tea%cake', 'te_', 'te%', '👍🏽👍🏽', '\u202e\u202e', ').*('])
      expect([q, await found(q)]).toEqual([q, q === 'tea%cake' ? 1 : 0]);
    for (const q of ['x', ' ', 'a\u0000b', 'x'.repeat(10_240), 'from:a '.repeat(40), '\u001b[2J'])
      expect([q, await found(q)]).toEqual([q, '400 VALIDATION_ERROR']);
    // Nothing is marked up: what is shown is the text, and clients escape it.
    const { items } = (await house.api('GET', '/api/chat/search?q=bold', { token: bob.token })).body.data;
    expect(items[0].content).toBe(content);
    expect(house.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('go on behind pages on which everything is hidden', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await channelOf(house, [ann, bob, cleo]);
    const say = async (who: typeof ann, content: string) => {
      house.clock.advance(1);
      await done(house, channels.sendToChannel, who, { conversationId, content });
    };
    await say(ann, 'tea of ann');
    for (let at = 0; at < 12; at += 1) await say(cleo, `tea ${at}`);
    await scene.block(bob, cleo);
    for (const path of ['/api/chat/search?q=tea', `/api/channels/${conversationId}/messages/search?query=tea`]) {
      const seen: string[] = [];
      let more = '';
      for (let pages = 0; pages < 20; pages += 1) {
        const { body } = await house.api('GET', `${path}&limit=2${more}`, { token: bob.token });
        seen.push(...body.data.items.map(({ content }: { content: string }) => content));
        if (!body.data.hasMore) break;
        more = `&cursor=${encodeURIComponent(body.data.cursor)}`;
      }
      expect([path, seen]).toEqual([path, ['tea of ann']]);
    }
  });
});

describe.each(engines)('a mute on %s', (engine) => {
  it('ends at its moment, and not one millisecond before', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    await done(house, moderation.groupMute, ann, { conversationId, memberId: bob.memberId, durationMs: 1_000 });
    const say = async () => await house.perform(groups.sendToGroup, { conversationId, content: 'x' }, bob.token);
    house.clock.advance(999);
    expect(said(await say())).toBe('403 FORBIDDEN');
    house.clock.advance(1);
    expect(said(await say())).toBe('201 success');
  });
});
