import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatLimits } from '../../../../src/contract/chat/limits.ts';
import type { Method } from '../../../../src/contract/operation.ts';
import { engines } from '../../../support/stores.ts';
import { inStage } from '../../../support/stage.ts';
import { allRows } from '../../passvault/store-contents.ts';
import { channelOf, groupOf } from '../chat-scene.ts';
import { openChat, said, type ChatScene } from '../scene.ts';

const invalid = '400 VALIDATION_ERROR';
const nobody = 'f'.repeat(24);
const nothing = 'f'.repeat(32);

/** Texts of messages that are refused. */
const texts: Readonly<Record<string, unknown>> = {
  'no text': '',
  'spaces alone': ' \n\t ',
  'invisible characters': '\u3164\u200b\u2060',
  'marks of direction alone': '\u202e\u2066\u2069\u200f',
  'an empty Braille pattern': '\u2800',
  'a variation selector alone': '\ufe0f',
  'tags of a flag alone': '\u{e0067}\u{e007f}',
  'too many characters': 'x'.repeat(chatLimits.text + 1),
  'too many emoji': '👍'.repeat(chatLimits.text + 1),
  'a flood of joined emoji': '👨‍👩‍👧‍👦'.repeat(chatLimits.text),
  NUL: 'a\u0000b',
  'an escape': '\u001b[2J',
  'half of a surrogate pair': '\ud800',
  'a number': 1,
  null: null,
  'a list': ['x'],
  'an object': { toString: 'x' },
};

/** Names that are no names. */
const names = [
  '',
  '  ',
  '\u200b',
  '\u3164',
  '\u2800',
  '\u202eabc',
  'a\u2066b\u2069',
  'a\nb',
  'a\u0000',
  '\ud800',
  1,
  null,
  ['x'],
];

/** What is no emoji, or more than one. */
const emoji = [
  '',
  'a',
  '1',
  '👍👍',
  '👍a',
  '\ufe0f',
  '\u200d',
  '🇩',
  '👍🏽🏽',
  '❤\ufe0e',
  '\ud83d',
  'x'.repeat(10_000),
  1,
  null,
];

describe.each(engines)('bad input for conversations on %s', (engine) => {
  let scene: ChatScene;
  let roots: readonly string[];
  let group: string;
  let channel: string;
  let own: Readonly<Record<string, string>>;
  let before: unknown;
  beforeAll(async () => {
    scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'One');
    group = await groupOf(house, [ann, bob]);
    channel = await channelOf(house, [ann, bob]);
    roots = [`/api/conversations/${conversationId}`, `/api/groups/${group}`, `/api/channels/${channel}`];
    const ids = [id];
    for (const root of roots.slice(1))
      ids.push((await send('POST', `${root}/messages`, { content: 'One' })).body.data.id);
    own = Object.fromEntries(roots.map((root, at) => [root, `${root}/messages/${ids[at]}`]));
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const stored = async () => await allRows(scene.house.ctx, /^(conversation|room|event|search)/);
  beforeEach(async () => void (before = await stored()));
  afterEach(async () => {
    expect(await stored(), 'nothing was changed').toEqual(before);
    expect(scene.house.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  async function send(method: Method, path: string, body?: unknown, who = scene.ann) {
    return await scene.house.api(method, path, { token: who.token, ...(body !== undefined && { body }) });
  }
  async function expectRefused(answer: string, method: Method, path: string, body?: unknown, who = scene.ann) {
    expect([method, path, body, said(await send(method, path, body, who))]).toEqual([method, path, body, answer]);
  }

  it('is refused as a text, wherever one is said', async () => {
    const { bob, house } = scene;
    const sendAt = new Date(house.clock.now() + 600_000).toISOString();
    for (const content of Object.values(texts)) {
      await expectRefused(invalid, 'POST', '/api/conversations', { recipientId: bob.memberId, content });
      for (const root of roots) {
        if (!root.startsWith('/api/conversations'))
          await expectRefused(invalid, 'POST', `${root}/messages`, { content });
        await expectRefused(invalid, 'PUT', own[root]!, { content });
        await expectRefused(invalid, 'POST', `${root}/scheduled`, { content, sendAt });
      }
    }
  });

  it('is refused as the id of a message, a member, a reaction or a client', async () => {
    for (const wrong of ['x', '0'.repeat(31), '0'.repeat(33), 'g'.repeat(32), '%00', '..%2f', "1'--"])
      for (const root of roots) {
        for (const method of ['GET', 'PUT', 'DELETE'] as const)
          await expectRefused(
            invalid,
            method,
            `${root}/messages/${wrong}`,
            method === 'PUT' ? { content: 'x' } : undefined,
          );
        await expectRefused(invalid, 'POST', `${root}/messages/${wrong}/pin`);
        await expectRefused(invalid, 'DELETE', `${own[root]}/reactions/${wrong}`);
        await expectRefused(invalid, 'GET', `${root}/messages?around=${wrong}`);
      }
    for (const clientId of ['', ' ', 'a b', 'x'.repeat(65), 'é', '\u202e', 1, null])
      await expectRefused(invalid, 'POST', `/api/groups/${group}/messages`, { content: 'x', clientId });
    await expectRefused('404 MESSAGE_NOT_FOUND', 'POST', `/api/groups/${group}/messages`, {
      content: 'x',
      replyToMessageId: nothing,
    });
    for (const recipientId of ['', 'bob', nobody.slice(1), 1, null, undefined])
      await expectRefused(invalid, 'POST', '/api/conversations', { recipientId, content: 'x' });
    await expectRefused('404 MEMBER_NOT_FOUND', 'POST', '/api/conversations', { recipientId: nobody, content: 'x' });
  });

  it('is refused as an emoji', async () => {
    for (const root of roots)
      for (const one of emoji) await expectRefused(invalid, 'POST', `${own[root]}/reactions`, { emoji: one });
  });

  it('is refused as the name of a group or channel, its topic, its visibility and its rules', async () => {
    const { bob } = scene;
    for (const name of names) {
      await expectRefused(invalid, 'POST', '/api/groups', { name, memberIds: [bob.memberId] });
      await expectRefused(invalid, 'PUT', `/api/groups/${group}`, { name });
      await expectRefused(invalid, 'POST', '/api/channels', { name, visibility: 'public' });
      await expectRefused(invalid, 'PUT', `/api/channels/${channel}`, { name });
    }
    // The filler counts as a letter, and nobody sees it.
    await expectRefused(invalid, 'POST', '/api/channels', { name: 'a\u3164', visibility: 'public' });
    for (const topic of ['\u200b', '\u202eabc', 'a\nb', 'x'.repeat(chatLimits.topic + 1), 1, null])
      await expectRefused(invalid, 'PUT', `/api/channels/${channel}`, { topic });
    for (const visibility of ['', 'Public', 'hidden', 1, null])
      await expectRefused(invalid, 'POST', '/api/channels', { name: 'fine', visibility });
    for (const retentionMs of [-1, 0, 1, 1.5, 1e18, 'a week'])
      await expectRefused(invalid, 'PUT', `/api/groups/${group}`, { retentionMs });
    for (const slowModeSeconds of [-1, 1.5, 1e9, 'slow', null])
      await expectRefused(invalid, 'PUT', `/api/groups/${group}`, { slowModeSeconds });
  });

  it('is refused about members and their roles', async () => {
    const { ann, bob, cleo } = scene;
    for (const root of roots.slice(1)) {
      const of = ({ memberId }: typeof ann) => `/${memberId}`;
      for (const memberIds of [[], ['x'], 'bob', null, Array.from({ length: 201 }, () => bob.memberId)])
        await expectRefused(invalid, 'POST', `${root}/members`, { memberIds });
      // One that is wrong, and nobody is added.
      await expectRefused('404 MEMBER_NOT_FOUND', 'POST', `${root}/members`, { memberIds: [cleo.memberId, nobody] });
      await expectRefused('403 FORBIDDEN', 'POST', `${root}/members`, { memberIds: [cleo.memberId] }, bob);
      for (const role of ['', 'Owner', 'king', 1, null])
        await expectRefused(invalid, 'PUT', `${root}/roles${of(bob)}`, { role });
      for (const role of ['owner', 'admin', 'moderator', 'member']) {
        await expectRefused('403 FORBIDDEN', 'PUT', `${root}/roles${of(bob)}`, { role }, bob);
        await expectRefused('403 FORBIDDEN', 'PUT', `${root}/roles${of(ann)}`, { role }, bob);
        await expectRefused('403 FORBIDDEN', 'PUT', `${root}/roles${of(ann)}`, { role });
      }
      for (const durationMs of [0, -1, 1.5, 366 * 86_400_000, 'a day', null])
        await expectRefused(invalid, 'POST', `${root}/mute${of(bob)}`, { durationMs });
      for (const act of ['mute', 'kick', 'bans'])
        await expectRefused('403 FORBIDDEN', 'POST', `${root}/${act}${of(ann)}`, { durationMs: 1_000 }, bob);
      await expectRefused('403 LAST_OWNER', 'POST', `${root}/leave`, {});
      for (const reason of ['\u200b', '\u202eabc', 'a\u0000', 'x'.repeat(5_000), 1])
        await expectRefused(invalid, 'POST', `${root}/mute${of(bob)}`, { durationMs: 1_000, reason });
    }
  });

  it('is refused as a moment or a number', async () => {
    for (const root of roots) {
      for (const sendAt of [
        '',
        'tomorrow',
        '2026-02-31T00:00:00Z',
        '2020-01-01T00:00:00Z',
        '9999-01-01T00:00:00Z',
        1,
        null,
      ])
        await expectRefused(invalid, 'POST', `${root}/scheduled`, { content: 'x', sendAt });
      for (const mutedUntil of ['', 'tomorrow', '2026-02-31T00:00:00Z', '10000-01-01T00:00:00Z', 1])
        await expectRefused(invalid, 'PUT', `${root}/settings`, { mutedUntil });
      for (const seq of [-1, 1.5, 1e18, 'last', {}]) await expectRefused(invalid, 'POST', `${root}/read`, { seq });
      for (const query of ['after=-1', 'after=1.5', 'after=x', 'after=9007199254740993'])
        await expectRefused(invalid, 'GET', `${root}/messages?${query}`);
    }
  });

  it('of too many different reactions is refused, and those that there are stay', async () => {
    const { ann, bob, house } = scene;
    const { id, conversationId } = await scene.say(bob, ann, 'Everybody reacts to that');
    const path = `/api/conversations/${conversationId}/messages/${id}`;
    // From the first animal on there are 64 emoji of one character.
    const all = Array.from({ length: 64 }, (_, at) => String.fromCodePoint(0x1f400 + at));
    const answers = new Map<string, number>();
    for (let at = 0; at < inStage(150, 150, 1_000); at += 1) {
      const answer = said(await send('POST', `${path}/reactions`, { emoji: all[at % all.length] }));
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    expect([...answers.keys()].toSorted()).toEqual(['201 success', '400 TOO_MANY_REACTIONS']);
    const shown = (await send('GET', path, undefined, bob)).body.data;
    expect(shown.reactionCounts).toHaveLength(chatLimits.emoji);
    expect(new Set(shown.reactionCounts.map(({ count }: { count: number }) => count))).toEqual(new Set([1]));
    expect(await house.ctx.db.selectFrom('conversation_reactions').select('id').execute()).toHaveLength(
      chatLimits.emoji,
    );
    before = await stored();
  });

  it('is not what turns its direction, is written in parts, or is just short enough', async () => {
    for (const content of [
      'x'.repeat(chatLimits.text),
      '👍'.repeat(chatLimits.text),
      '\u2067שלום\u2069 Bob',
      'Look\u202egnp.exe',
      'می\u200cخواهم',
      '❤\ufe0f',
      'line\r\nline\ttab',
    ])
      for (const root of roots.slice(1)) {
        const answer = await send('POST', `${root}/messages`, { content });
        expect([answer.status, answer.body.data?.content]).toEqual([201, content]);
      }
    before = await stored();
  });
});
