import { describe, expect, it } from 'vitest';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { engines } from '../../support/stores.ts';
import { openChat, said } from './scene.ts';

const { text: mostText, preview } = chatLimits;

describe.each(engines)('sending messages on %s', (engine) => {
  it('takes texts of so many characters, whatever they take of memory', async () => {
    await using scene = await openChat(engine);
    const { ann, bob } = scene;
    for (const character of ['x', 'é', '🍵']) {
      const text = character.repeat(mostText);
      expect((await scene.say(ann, bob, text)).content).toBe(text);
      const longer = await scene.call(ann, 'POST', '', { recipientId: bob.memberId, content: text + character });
      expect(said(longer)).toBe('400 VALIDATION_ERROR');
      const { items } = await scene.ask(bob, 'GET', '');
      expect(items[0].lastMessagePreview).toBe(`${character.repeat(preview)}…`);
    }
    const send = async (body: object) =>
      said(await scene.call(ann, 'POST', '', { recipientId: bob.memberId, ...body }));
    for (const content of ['', ' \n ', '\u200b', 'bell \u0007', 'half \ud83c', 7, undefined])
      expect(await send({ content })).toBe('400 VALIDATION_ERROR');
    for (const more of [{ clientId: '' }, { clientId: 'x'.repeat(65) }, { clientId: 'a b' }, { replyToMessageId: 'x' }])
      expect(await send({ content: 'Hi', ...more })).toBe('400 VALIDATION_ERROR');
    expect(await send({ content: 'Hi', senderId: bob.memberId })).toMatch(/^40[03] /);
    // A preview has no half of a character, also behind much white space.
    await scene.say(ann, bob, `${'a '.repeat(10)}${' '.repeat(379)}🍵🍵`);
    expect((await scene.ask(bob, 'GET', '')).items[0].lastMessagePreview).toBe(`${'a '.repeat(10).trim()}…`);
  });

  it('begins so many conversations an hour, and so many a member', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const { begunPerHour } = house.ctx.config.chat;
    await scene.say(bob, ann, 'Begun by somebody else');
    const row = await house.ctx.db.selectFrom('conversations').selectAll().executeTakeFirstOrThrow();
    const begun = Array.from({ length: begunPerHour }, (_, at) => ({
      ...row,
      id: String(at).padStart(32, '0'),
      pair: `direct ${at}`,
      created_by: ann.memberId,
    }));
    await house.ctx.db.insertInto('conversations').values(begun).execute();
    const send = async () => await scene.call(ann, 'POST', '', { recipientId: cleo.memberId, content: 'Hello' });
    const refused = await send();
    expect(said(refused)).toBe('429 RATE_LIMITED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect((await scene.say(ann, bob, 'In one that is there')).seq).toBe(2);
    house.clock.advance(3_600_000);
    expect((await send()).status).toBe(201);

    const dan = await house.register();
    const place = await house.ctx.db.selectFrom('conversation_places').selectAll().executeTakeFirstOrThrow();
    const places = Array.from({ length: chatLimits.conversations }, (_, at) => ({
      ...place,
      conversation_id: String(at).padStart(32, '0'),
      member_id: dan.memberId,
    }));
    for (let start = 0; start < places.length; start += 500)
      await house.ctx.db
        .insertInto('conversation_places')
        .values(places.slice(start, start + 500))
        .execute();
    for (const [from, to] of [
      [bob, dan],
      [dan, bob],
    ] as const) {
      const answer = await scene.call(from, 'POST', '', { recipientId: to.memberId, content: 'Hello' });
      expect(said(answer)).toBe('409 CONVERSATIONS_FULL');
    }
  });
});
