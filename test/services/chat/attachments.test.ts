import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { members } from '../../../src/contract/chat/members.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { search } from '../../../src/contract/chat/search.ts';
import { transaction } from '../../../src/service/context.ts';
import { purgeAttachments } from '../../../src/shared/conversations/attachments/purge.ts';
import { referAgain } from '../../../src/shared/conversations/attachments/references.ts';
import { erasingHandler } from '../../../src/shared/conversations/erasing.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused } from './chat-scene.ts';
import { openFiles } from './files-scene.ts';
import { said } from './scene.ts';

const HOUR = 3_600_000;
const nothing = '0'.repeat(32);
/** Too large for the database, so it is a block. */
const photo = Buffer.from('not a picture'.padEnd(100_000, '.'));

describe.each(bothEngines)('attachments of messages on %s', (engine) => {
  it('are uploaded, sent and read by those who may read the message', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, cleo, house } = scene;
    const file = await scene.uploaded(ann, photo, { filename: 'Füße.png', type: 'image/png' });
    expect(file).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      filename: 'Füße.png',
      mimeType: 'image/png',
      size: photo.length,
      expiresAt: new Date(house.clock.now() + 24 * HOUR).toISOString(),
    });
    expect((await scene.get(ann, file.id)).bytes.equals(photo)).toBe(true);
    expect((await scene.get(bob, file.id)).status).toBe(404);
    const note = await scene.uploaded(ann, 'Grüße', { filename: 'note' });
    const sent = await scene.say(ann, bob, 'Look', { attachments: [note.id, file.id] });
    const { id, filename, mimeType, size } = file;
    const shown = { id, filename, mimeType, size, url: `/api/chat/attachments/${id}` };
    expect(sent.attachments).toEqual([expect.objectContaining({ id: note.id, mimeType: 'text/plain' }), shown]);
    const { items } = await scene.ask(bob, 'GET', `/${sent.conversationId}/messages`);
    expect(items[0]).toEqual(sent);
    for (const who of [ann, bob]) expect((await scene.get(who, id)).bytes.equals(photo)).toBe(true);
    const { status, headers, bytes } = await scene.get(bob, id, { range: 'bytes=3-9' });
    expect([status, bytes.toString()]).toEqual([206, photo.subarray(3, 10).toString()]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `inline; filename="F__e.png"; filename*=UTF-8''F%C3%BC%C3%9Fe.png`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const text = await scene.get(bob, note.id);
    expect([text.headers.get('content-type'), text.bytes.toString()]).toEqual(['text/plain; charset=utf-8', 'Grüße']);
    for (const one of [id, nothing])
      expect((await scene.get(cleo, one, { 'if-none-match': `"${one}"` })).status).toBe(404);
    expect((await house.api('GET', `/api/chat/attachments/${id}`)).status).toBe(401);
    // Names and keys are sealed, and no key leaves the node in clear.
    const rows = await house.ctx.db.selectFrom('conversation_attachments').selectAll().execute();
    expect(rows.map((row) => [row.sealed, row.expires_at, row.message_count])).toEqual([
      [null, null, 1],
      [null, null, 1],
    ]);
    expect(JSON.stringify([file, sent, items, house.happened])).not.toMatch(/"key"/);
    // What is attached stays: it goes with the message.
    expect(said(await scene.remove(ann, id))).toBe('404 ATTACHMENT_NOT_FOUND');
  });

  it('go to one of two messages that want them at the same time', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, cleo } = scene;
    const { id } = await scene.uploaded(ann, 'once');
    const to = async ({ memberId: recipientId }: typeof bob) =>
      said(await scene.call(ann, 'POST', '', { recipientId, content: 'Here', attachments: [id] }));
    const answers = await Promise.all([to(bob), to(cleo), to(bob), to(cleo)]);
    expect(answers.toSorted()).toEqual(['201 success', ...Array.from({ length: 3 }, () => '400 INVALID_ATTACHMENT')]);
    expect((await Promise.all([bob, cleo].map(async (who) => (await scene.get(who, id)).status))).toSorted()).toEqual([
      200, 404,
    ]);
  });

  it('are deleted with the last message that refers to them', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, cleo, house } = scene;
    const { id } = await scene.uploaded(ann, photo);
    const first = await scene.say(ann, bob, 'One', { attachments: [id] });
    const other = await scene.say(bob, cleo, 'Two');
    const before = await scene.stored(bob);
    const again = { fromMessageId: first.id, toMessageId: other.id, memberId: bob.memberId };
    await transaction(house.ctx, async (tx) => await referAgain(tx, again));
    expect([(await scene.stored(bob)) - before, await scene.blocks()]).toEqual([photo.length, 1]);
    await Promise.all(
      [[ann, first] as const, [bob, other] as const].map(async ([who, message]) => {
        await scene.ask(who, 'DELETE', `/${message.conversationId}/messages/${message.id}`);
      }),
    );
    expect([await scene.stored(ann), await scene.stored(bob), await scene.blocks()]).toEqual([0, 0, 0]);
    expect(await house.ctx.db.selectFrom('conversation_attachments').selectAll().execute()).toEqual([]);
  });

  it('are found by has:file, and stay when the text is changed', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, house } = scene;
    const { id } = await scene.uploaded(ann, 'x');
    const { conversationId, id: messageId } = await scene.say(ann, bob, 'Here', { attachments: [id] });
    await scene.say(ann, bob, 'And nothing');
    const found = async () =>
      (await done(house, search.searchChat, bob, { q: 'has:file' })).items.map(({ content }) => content);
    expect(await found()).toEqual(['Here']);
    for (const content of ['There', 'Where'])
      await done(house, messages.directEditMessage, ann, { conversationId, messageId, content });
    expect(await found()).toEqual(['Where']);
    const shown = await done(house, messages.directMessage, bob, { conversationId, messageId });
    expect(shown).toMatchObject({ content: 'Where', attachments: [{ id, size: 1 }] });
    expect((await scene.get(bob, id)).bytes.toString()).toBe('x');
  });
});

describe.each(engines)('who reads attachments on %s', (engine) => {
  it('is in the conversation, sees the message, and nothing hides it', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, cleo, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const { id } = await scene.uploaded(bob, photo);
    const input = { conversationId, content: 'For us', attachments: [id] };
    const { id: messageId } = await done(house, groups.sendToGroup, bob, input);
    const status = async (who: typeof ann) => (await scene.get(who, id)).status;
    const { memberId } = cleo;
    await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [memberId] });
    // She came later.
    expect([await status(ann), await status(cleo)]).toEqual([200, 404]);
    const later = await scene.uploaded(bob, 'later');
    await done(house, groups.sendToGroup, bob, { ...input, attachments: [later.id] });
    const seen = async () => (await scene.get(cleo, later.id)).status;
    const hers = async () => {
      const { items } = await done(house, messages.groupMessages, cleo, { conversationId });
      return items.map(({ attachments }) => attachments.length);
    };
    expect([await seen(), await hers()]).toEqual([200, [1]]);
    await scene.block(cleo, bob);
    expect([await seen(), await hers()]).toEqual([404, [0]]);
    await scene.unblock(cleo, bob);
    await done(house, moderation.groupKick, ann, { conversationId, memberId });
    expect(await seen()).toBe(404);
    await done(house, messages.groupDeleteMessage, ann, { conversationId, messageId });
    expect([await status(ann), await status(bob), await scene.blocks()]).toEqual([404, 404, 0]);
    const deleted = await done(house, messages.groupMessage, ann, { conversationId, messageId });
    expect(deleted).toMatchObject({ content: null, attachments: [] });
    // Whoever sent it has no other right to it than the others.
    await done(house, moderation.groupKick, ann, { conversationId, memberId: bob.memberId });
    expect((await scene.get(bob, later.id)).status).toBe(404);
  });

  it('reads none of a deleted group, whose files are erased', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const { id } = await scene.uploaded(bob, photo);
    await done(house, groups.sendToGroup, bob, { conversationId, content: 'x', attachments: [id] });
    await done(house, groups.deleteGroup, ann, { conversationId });
    expect((await scene.get(bob, id)).status).toBe(404);
    await erasingHandler(house.ctx)({ id: conversationId }, { signal: new AbortController().signal } as never);
    expect([await scene.stored(bob), await scene.blocks()]).toEqual([0, 0]);
    for (const table of ['conversation_attachments', 'conversation_message_attachments'] as const)
      expect(await house.ctx.db.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  it('reads them in channels with a history from before they came', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, house } = scene;
    const conversationId = await channelOf(house, [ann]);
    const { id } = await scene.uploaded(ann, 'old');
    await done(house, channels.sendToChannel, ann, { conversationId, content: 'x', attachments: [id] });
    expect((await scene.get(bob, id)).status).toBe(404);
    await done(house, channels.joinChannel, bob, { conversationId });
    expect((await scene.get(bob, id)).bytes.toString()).toBe('old');
  });
});

describe.each(engines)('uploads for messages on %s', (engine) => {
  it('wait a day, and are deleted by their owner or the node', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, house } = scene;
    const [file, other] = [await scene.uploaded(ann, photo), await scene.uploaded(ann, '')];
    expect([await scene.stored(ann), await scene.blocks(), other.size]).toEqual([photo.length, 1, 0]);
    expect((await scene.get(ann, other.id)).bytes).toHaveLength(0);
    expect(said(await scene.remove(bob, file.id))).toBe('404 ATTACHMENT_NOT_FOUND');
    expect((await scene.remove(ann, file.id)).status).toBe(204);
    expect(said(await scene.remove(ann, file.id))).toBe('404 ATTACHMENT_NOT_FOUND');
    expect([await scene.stored(ann), await scene.blocks()]).toEqual([0, 0]);
    const late = await scene.uploaded(ann, photo);
    house.clock.advance(24 * HOUR);
    expect((await scene.get(ann, late.id)).status).toBe(404);
    const sent = { recipientId: bob.memberId, content: 'x', attachments: [late.id] };
    expect(said(await scene.call(ann, 'POST', '', sent))).toBe('400 INVALID_ATTACHMENT');
    await purgeAttachments(house.ctx);
    expect([await scene.stored(ann), await scene.blocks()]).toEqual([0, 0]);
    expect(await house.ctx.db.selectFrom('conversation_attachments').selectAll().execute()).toEqual([]);
  });

  it('are at most so many, and within the quota before they arrive', async () => {
    await using scene = await openFiles(engine);
    const { ann, house } = scene;
    const file = await scene.uploaded(ann, 'x');
    const { db, config } = house.ctx;
    const [row] = await db.selectFrom('conversation_attachments').selectAll().execute();
    const more = Array.from({ length: chatLimits.waitingAttachments - 1 }, (_, at) => ({
      ...row!,
      id: String(at).padStart(32, '0'),
    }));
    await db.insertInto('conversation_attachments').values(more).execute();
    expect(said(await scene.upload(ann, 'x'))).toBe('409 ATTACHMENTS_FULL');
    await scene.remove(ann, file.id);
    const last = await scene.uploaded(ann, 'x');
    await scene.remove(ann, last.id);
    Object.assign(config.storage, { perMemberBytes: 10 });
    expect(said(await scene.upload(ann, 'eleven byte'))).toBe('413 STORAGE_QUOTA_EXCEEDED');
    expect(await scene.stored(ann)).toBe(0);
    // A body that breaks its promise leaves nothing behind.
    const digest = { 'content-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` };
    expect(said(await scene.upload(ann, 'x', { headers: digest }))).toBe('400 DIGEST_MISMATCH');
    expect(await scene.stored(ann)).toBe(0);
    const tooLarge = { 'content-length': String(chatLimits.attachmentBytes + chatLimits.sealedOverhead + 1) };
    expect(said(await scene.upload(ann, 'x', { headers: tooLarge }))).toBe('413 PAYLOAD_TOO_LARGE');
  });

  it('have names that deceive nobody, and types that browsers are not fooled by', async () => {
    await using scene = await openFiles(engine);
    const { ann } = scene;
    for (const filename of [
      '',
      ' ',
      '\u200b',
      'a/b',
      'a\\b',
      '..',
      'a\nb',
      'a\u0000',
      'gpj\u202e.exe',
      'x'.repeat(256),
    ])
      expect(said(await scene.upload(ann, 'x', { filename }))).toBe('400 VALIDATION_ERROR');
    const page = '<script>alert(1)</script>';
    for (const type of ['text/html', 'image/svg+xml', 'application/javascript', 'IMAGE/SVG+XML; charset=utf-8']) {
      const { id } = await scene.uploaded(ann, page, { filename: '"<b>\'.html', type });
      const { headers } = await scene.get(ann, id);
      expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        'application/octet-stream',
        `attachment; filename="_<b>'.html"; filename*=UTF-8''%22%3Cb%3E%27.html`,
      ]);
    }
    for (const type of [`text/${'x'.repeat(128)}`, 'text/a"b', 'text/a/b'])
      expect(await scene.uploaded(ann, page, { type })).toMatchObject({ mimeType: 'application/octet-stream' });
  });

  it('are of their owner, in a message once, and not too many', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, house } = scene;
    const send = async (attachments: readonly string[], who = ann, other = bob) =>
      said(await scene.call(who, 'POST', '', { recipientId: other.memberId, content: 'x', attachments }));
    const { id } = await scene.uploaded(ann, 'x');
    expect(await send([id], bob, ann)).toBe('400 INVALID_ATTACHMENT');
    expect(await send([id, nothing])).toBe('400 INVALID_ATTACHMENT');
    expect(await send([id, id])).toBe('400 INVALID_ATTACHMENT');
    expect(await send(['x'])).toBe('400 VALIDATION_ERROR');
    expect(await send(Array.from({ length: chatLimits.attachments + 1 }, () => id))).toBe('400 TOO_MANY_ATTACHMENTS');
    const { db } = house.ctx;
    // What sealing adds is for those who seal.
    const sealed = await scene.uploaded(ann, 'z');
    const tooLarge = { size: chatLimits.attachmentBytes + 1 };
    await db.updateTable('conversation_attachments').set(tooLarge).where('id', '=', sealed.id).execute();
    expect(await send([sealed.id])).toBe('400 ATTACHMENTS_TOO_LARGE');
    const large = { size: chatLimits.attachmentBytes };
    await db.updateTable('conversation_attachments').set(large).where('id', '=', id).execute();
    const one = await scene.uploaded(ann, 'y');
    expect(await send([id, one.id])).toBe('400 ATTACHMENTS_TOO_LARGE');
    // Whatever was refused has taken nothing.
    expect(await send([one.id])).toBe('201 success');
    expect(await send([id])).toBe('201 success');
    const conversationId = await groupOf(house, [ann, bob]);
    const again = { conversationId, content: 'x', attachments: [id] };
    expect(await refused(house, groups.sendToGroup, ann, again)).toBe('400 INVALID_ATTACHMENT');
  });

  it('are sent once with the id of the client, and the same file for a key that comes again', async () => {
    await using scene = await openFiles(engine);
    const { ann, bob, house } = scene;
    const headers = { 'idempotency-key': 'once' };
    const [file, same] = [await scene.uploaded(ann, photo, { headers }), await scene.uploaded(ann, photo, { headers })];
    expect([same, await scene.stored(ann), await scene.blocks()]).toEqual([file, photo.length, 1]);
    const more = { attachments: [file.id], clientId: 'mine' };
    const sent: ChatMessage[] = [await scene.say(ann, bob, 'x', more), await scene.say(ann, bob, 'x', more)];
    expect(sent[1]).toEqual(sent[0]);
    const { bytes } = await house.ctx.db.selectFrom('conversation_messages').select('bytes').executeTakeFirstOrThrow();
    expect(await scene.stored(ann)).toBe(photo.length + bytes);
  });
});
