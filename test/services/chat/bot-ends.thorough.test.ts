import { describe, expect, it } from 'vitest';
import { bots } from '../../../src/contract/chat/bots.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { purgeExpired } from '../../../src/services/accounts/purge.ts';
import { endProgramsOf } from '../../../src/shared/members/ended-app-passwords.ts';
import { transaction } from '../../../src/service/context.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { eventually } from '../../support/eventually.ts';
import { engines } from '../../support/stores.ts';
import { closingOf, openBots, type BotScene } from './bot-scene.ts';
import { channelOf, done, groupOf } from './chat-scene.ts';
import { said } from './scene.ts';

const scope = (id: string, right: 'read' | 'write') => `chat:${id}:${right}`;
const ended = '401 UNAUTHORIZED';

interface Case extends BotScene {
  readonly conversationId: string;
  readonly botId: string;
}

/** Bob's token for ann's group, and each way in which it ends. */
const endings: Readonly<Record<string, (scene: Case) => Promise<unknown>>> = {
  'it is removed': async ({ house, bob, botId }) => await done(house, bots.removeBot, bob, { botId }),
  'its member leaves': async ({ house, bob, conversationId }) =>
    await done(house, members.groupLeave, bob, { conversationId }),
  'its member is removed': async ({ house, ann, bob: { memberId }, conversationId }) =>
    await done(house, members.groupRemoveMember, ann, { conversationId, memberId }),
  'its member is kicked': async ({ house, ann, bob: { memberId }, conversationId }) =>
    await done(house, moderation.groupKick, ann, { conversationId, memberId }),
  'its member is banned': async ({ house, ann, bob: { memberId }, conversationId }) =>
    await done(house, moderation.groupBan, ann, { conversationId, memberId }),
  'the group is deleted': async ({ house, ann, conversationId }) =>
    await done(house, groups.deleteGroup, ann, { conversationId }),
  'its member is suspended': async ({ suspend, bob }) => await suspend(bob),
  // As all recoveries of an account do.
  'the account is recovered': async ({ house, bob }) =>
    await transaction(house.ctx, async (tx) => await endProgramsOf(tx, bob.memberId)),
};

async function openCase(engine: EngineName): Promise<Case & { readonly token: string }> {
  const scene = await openBots(engine);
  const conversationId = await groupOf(scene.house, [scene.ann, scene.bob, scene.cleo]);
  return { ...scene, conversationId, ...(await scene.bot(scene.bob, [scope(conversationId, 'write')])) };
}

describe.each(engines)('a bot token on %s', (engine) => {
  it.each(Object.entries(endings))('ends in every form when %s', async (_, end) => {
    await using scene = await openCase(engine);
    const { house, conversationId, token } = scene;
    await done(house, groups.sendToGroup, scene.ann, { conversationId, content: 'First' });
    await done(house, groups.sendToGroup, scene.ann, { conversationId, content: 'Second' });
    const key = { headers: { 'idempotency-key': 'once-0123456789' } };
    const message = { conversationId, content: 'Kept', clientId: 'kept' };
    expect((await house.perform(groups.sendToGroup, message, token, key)).status).toBe(201);
    const page = await done(house, messages.groupMessages, { token }, { conversationId, limit: 1 });
    const socket = await scene.connect(token);
    await socket.ask({ type: 'subscribe:conversation', conversationId });
    await end(scene);
    expect(await closingOf(socket)).toBe(4002);
    expect((await house.perform(groups.sendToGroup, message, token, key)).body.error.reason).toBe('UNAUTHORIZED');
    const next = { conversationId, limit: 1, cursor: page.cursor ?? '' };
    expect(await scene.answer(token, messages.groupMessages, next)).toBe(ended);
    const before = socket.frames.length;
    await socket.ask({ type: 'message:send', conversationId, content: 'Late', clientId: 'late' });
    expect(socket.frames).toHaveLength(before);
    expect((await scene.connect(token)).closed()).toBe(4001);
    const left = await house.ctx.db.selectFrom('bot_token_rooms').selectAll().execute();
    expect(left).toHaveLength(end === endings['its member is suspended'] ? 1 : 0);
    const kept = await house.ctx.db.selectFrom('conversation_messages').select('client_id').execute();
    expect(kept.map((row) => row.client_id)).not.toContain('late');
  });

  it('does not come back with a membership, and stays for the other conversations', async () => {
    await using scene = await openBots(engine);
    const { house, ann, bob } = scene;
    const [one, two] = [await groupOf(house, [ann, bob]), await channelOf(house, [ann, bob])];
    const { token } = await scene.bot(bob, [scope(one, 'write'), scope(two, 'read')]);
    const socket = await scene.connect(token);
    const membership = { conversationId: one, memberId: bob.memberId };
    await done(house, members.groupRemoveMember, ann, membership);
    // It knows what it may do since it signed in.
    expect(await closingOf(socket)).toBe(4002);
    await done(house, members.groupAddMembers, ann, { conversationId: one, memberIds: [bob.memberId] });
    expect(await scene.answer(token, messages.groupMessages, { conversationId: one })).toBe('403 INSUFFICIENT_SCOPE');
    expect(await scene.answer(token, messages.channelMessages, { conversationId: two })).toBe('200 success');
    const [listed] = (await done(house, bots.bots, bob, {})).items;
    expect(listed?.scopes).toEqual([scope(two, 'read')]);
  });

  it('expires at its moment, over sockets too, and is purged then', async () => {
    await using scene = await openBots(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const expiresAt = new Date(house.clock.now() + 60_000).toISOString();
    const { token } = await scene.bot(ann, [scope(conversationId, 'write')], { expiresAt });
    const socket = await scene.connect(token);
    house.clock.advance(59_999);
    expect(await scene.answer(token, messages.groupMessages, { conversationId })).toBe('200 success');
    house.clock.advance(1);
    expect(await scene.answer(token, messages.groupMessages, { conversationId })).toBe(ended);
    expect((await scene.connect(token)).closed()).toBe(4001);
    expect((await done(house, bots.bots, ann, {})).items).toEqual([]);
    await purgeExpired(house.ctx);
    expect(await closingOf(socket)).toBe(4002);
    expect(await house.ctx.db.selectFrom('bot_tokens').selectAll().execute()).toEqual([]);
  });

  it('is refused what ended between its request and its transaction', async () => {
    await using scene = await openCase(engine);
    const { house, bob, conversationId, botId, token } = scene;
    house.meanwhile(async () => void (await done(house, bots.removeBot, bob, { botId })));
    const late = { conversationId, content: 'Late' };
    expect(await scene.answer(token, groups.sendToGroup, late)).toBe('403 INSUFFICIENT_SCOPE');
    expect(await house.ctx.db.selectFrom('conversation_messages').selectAll().execute()).toEqual([]);
  });
});

describe.each(engines)('what a bot token may not do on %s', (engine) => {
  it('is to leave a file that was on its way when it ended', async () => {
    await using scene = await openCase(engine);
    const { house, bob, botId, token } = scene;
    const upload = async (body: string) =>
      await house.api('POST', '/api/chat/attachments?filename=a.txt', {
        token,
        rawBody: body,
        headers: { 'content-type': 'text/plain', 'content-length': `${body.length}`, 'idempotency-key': body },
      });
    expect((await upload('first')).status).toBe(201);
    const before = await scene.stored(bob);
    house.meanwhile(async () => void (await done(house, bots.removeBot, bob, { botId })));
    expect(said(await upload('second'))).toBe(ended);
    // Nor is it answered what it was answered before.
    expect(said(await upload('first'))).toBe(ended);
    expect(await scene.stored(bob)).toBe(before);
    expect(await house.ctx.db.selectFrom('conversation_attachments').selectAll().execute()).toHaveLength(1);
  });

  it('is what its member may not while they are muted or suspended, and what makes other tokens', async () => {
    await using scene = await openCase(engine);
    const { house, ann, bob, conversationId, botId, token } = scene;
    const say = async (content: string) =>
      await scene.answer(token, groups.sendToGroup, { conversationId, content, clientId: content });
    expect(await say('Before')).toBe('201 success');
    const [before] = (await done(house, messages.groupMessages, ann, { conversationId })).items;
    const about = { conversationId, messageId: before!.id };
    const socket = await scene.connect(token);
    const mute = { conversationId, memberId: bob.memberId };
    await done(house, moderation.groupMute, ann, { ...mute, durationMs: 60_000 });
    expect(await say('Muted')).toBe('403 FORBIDDEN');
    expect(await scene.answer(token, messages.groupEditMessage, { ...about, content: 'Muted' })).toBe('403 FORBIDDEN');
    expect(await scene.answer(token, messages.groupReact, { ...about, emoji: '👍' })).toBe('403 FORBIDDEN');
    for (const frame of [
      { type: 'message:send', conversationId, content: 'Muted', clientId: 'muted' },
      { type: 'message:typing', conversationId },
    ])
      expect(await socket.ask(frame)).toMatchObject({ type: 'error', reason: 'FORBIDDEN', of: frame.type });
    await done(house, moderation.groupUnmute, ann, mute);
    expect(await say('After')).toBe('201 success');
    await scene.suspend(bob);
    expect(await say('Suspended')).toBe(ended);
    const restore = { token: await house.operatorToken(), trusted: true, body: {} };
    expect((await house.api('POST', `/api/admin/members/${bob.memberId}/restore`, restore)).status).toBe(200);
    expect(await say('Restored')).toBe('201 success');
    const more = { name: 'another', scopes: [scope(conversationId, 'write')] };
    expect(await scene.answer(token, bots.createBot, more)).toBe('403 INSUFFICIENT_SCOPE');
    expect(await scene.answer(token, bots.bots, {})).toBe('403 INSUFFICIENT_SCOPE');
    expect(await scene.answer(token, bots.removeBot, { botId })).toBe('403 INSUFFICIENT_SCOPE');
    const { items } = await done(house, messages.groupMessages, ann, { conversationId });
    expect(items.map(({ content }) => content)).toEqual(['Before', 'After', 'Restored']);
  });

  it('is to be answered what its member, or another token, was answered elsewhere', async () => {
    await using scene = await openCase(engine);
    const { house, ann, bob, conversationId, token } = scene;
    const other = await groupOf(house, [ann, bob]);
    const { token: second } = await scene.bot(bob, [scope(other, 'write')]);
    const key = { headers: { 'idempotency-key': 'release-2026-01' } };
    const message = { content: 'Private', clientId: 'release' };
    const send = async (by: string, id: string) =>
      await house.perform(groups.sendToGroup, { ...message, conversationId: id }, by, key);
    expect((await send(second, other)).status).toBe(201);
    expect(said(await send(token, other))).toBe('403 INSUFFICIENT_SCOPE');
    expect(said(await send(token, conversationId))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    const own = { ...message, conversationId };
    const sent = await done(house, groups.sendToGroup, { token }, own);
    expect(sent).toMatchObject({ conversationId, via: 'deploys' });
  });
});

describe.each(engines)('a socket of a bot token on %s', (engine) => {
  it('hears only its conversations, sends only where it may write, and makes nobody present', async () => {
    await using scene = await openBots(engine);
    const { house, ann, bob, came } = scene;
    const [own, read, other] = [
      await groupOf(house, [ann, bob]),
      await groupOf(house, [ann, bob]),
      await groupOf(house, [ann, bob]),
    ];
    const { token } = await scene.bot(ann, [scope(own, 'write'), scope(read, 'read')]);
    const socket = await scene.connect(token);
    expect(socket.frames).toEqual([{ type: 'ready', memberId: ann.memberId }]);
    const topics = [own, read, other].map((id) => `conversation:${id}`);
    const foreign = [`inbox:${ann.memberId}`, `vaults:${ann.memberId}`, `notifications:${ann.memberId}`];
    const refusedTopics = [topics[2], ...foreign];
    for (const frame of [
      { type: 'subscribe', topics: [...topics, ...foreign] },
      { type: 'resume', topics: Object.fromEntries([...topics, ...foreign].map((topic) => [topic, 0])) },
    ]) {
      expect(await socket.ask(frame)).toMatchObject({ type: 'subscribed', count: 2, refused: 4, refusedTopics });
    }
    const lacking = { type: 'error', reason: 'INSUFFICIENT_SCOPE' };
    const send = { type: 'message:send', content: 'Hi', clientId: 'one' };
    for (const frame of [
      { type: 'subscribe:conversation', conversationId: other },
      { ...send, conversationId: other },
      { ...send, conversationId: read },
      { type: 'message:typing', conversationId: read },
      { type: 'message:read', conversationId: own },
      { type: 'presence:set', status: 'dnd' },
      { type: 'presence:watch', memberIds: [bob.memberId] },
    ])
      expect(await socket.ask(frame), frame.type).toMatchObject({ ...lacking, of: frame.type });
    await socket.ask({ ...send, conversationId: own });
    expect(socket.frames).toContainEqual(expect.objectContaining({ type: 'message:sent', clientId: 'one', seq: 1 }));
    await done(house, groups.sendToGroup, bob, { conversationId: read, content: 'Heard' });
    await done(house, groups.sendToGroup, bob, { conversationId: other, content: 'Unheard' });
    const heard = () => JSON.stringify(socket.frames);
    await eventually(() => expect(heard()).toMatch(/"via":"deploys".*Heard/));
    expect(heard()).not.toContain('Unheard');
    expect(came).toEqual([]);
    expect((await scene.connect(await house.signIn(ann))).frames).toHaveLength(1);
    expect(came).toEqual([ann.memberId]);
  });

  it('is no sign of its member, and neither is what clients send by themselves', async () => {
    await using scene = await openBots(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const { token } = await scene.bot(ann, [scope(conversationId, 'write')]);
    const session = await house.signIn(ann);
    const signs = () => scene.seen.filter((id) => id === ann.memberId).length;
    const before = signs();
    const [program, client] = [await scene.connect(token), await scene.connect(session)];
    const topics = [`conversation:${conversationId}`];
    const subscribe = { type: 'subscribe', topics };
    await program.ask(subscribe);
    await program.ask({ type: 'message:send', conversationId, content: 'Hi', clientId: 'one' });
    expect(await scene.answer(token, groups.sendToGroup, { conversationId, content: 'Hi' })).toBe('201 success');
    await client.ask({ type: 'ping' });
    await client.ask({ type: 'resume', topics: { [topics[0] ?? '']: 0 } });
    expect(signs()).toBe(before);
    await client.ask(subscribe);
    await client.ask({ type: 'message:send', conversationId, content: 'Hi', clientId: 'two' });
    expect(signs()).toBe(before + 2);
    expect(await scene.answer(session, groups.sendToGroup, { conversationId, content: 'Hi' })).toBe('201 success');
    expect(signs()).toBe(before + 3);
  });
});
