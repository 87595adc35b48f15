import { describe, expect, it } from 'vitest';
import { openOwnKeys } from '../../../src/client/room-keys.ts';
import { fromUtf8 } from '../../../src/crypto/bytes.ts';
import { CryptoError } from '../../../src/crypto/crypto-error.ts';
import { openMessage } from '../../../src/crypto/room-keys.ts';
import { identityOf } from '../../support/member-key.ts';
import { engines } from '../../support/stores.ts';
import { openChat, said, told } from './scene.ts';

describe.each(engines)('the place of a member in a conversation on %s', (engine) => {
  it('knows how far they have read, and sending reads what is above', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    for (const text of ['One', 'Two', 'Three']) await scene.say(ann, bob, text);
    const { conversationId } = await scene.say(ann, bob, 'Four');
    const path = `/${conversationId}/read`;
    const [theirs, common] = [`inbox:${bob.memberId}`, `conversation:${conversationId}`];
    const readings = (topic: string) =>
      told(house, topic).flatMap(([name, { seq, unread }]) => (name.includes('read') ? [[seq, unread]] : []));
    expect(await scene.ask(bob, 'POST', path, { seq: 2 })).toMatchObject({ seq: 2, unread: 2, memberId: bob.memberId });
    // What was read stays read, and to read it again tells nobody.
    expect(await scene.ask(bob, 'POST', path, { seq: 1 })).toMatchObject({ seq: 2, unread: 2 });
    expect(readings(theirs)).toEqual([[2, 2]]);
    expect(readings(common)).toEqual([[2, undefined]]);
    expect(await scene.ask(bob, 'POST', path, { seq: 1000 })).toMatchObject({ seq: 4, unread: 0 });
    await scene.say(ann, bob, 'Five');
    await scene.say(bob, ann, 'Six');
    expect(readings(theirs)).toEqual([
      [2, 2],
      [4, 0],
      [5, 0],
    ]);
    const of = async (who: typeof ann) => (await scene.ask(who, 'GET', '')).items[0];
    expect(await of(bob)).toMatchObject({ readSeq: 6, unread: 0, lastSeq: 6 });
    expect(await of(ann)).toMatchObject({ readSeq: 5, unread: 1, receipts: [{ memberId: bob.memberId, seq: 6 }] });
    expect(await scene.ask(ann, 'POST', path, {})).toMatchObject({ seq: 6, unread: 0 });
    for (const seq of [-1, 1.5, 'x']) expect((await scene.call(bob, 'POST', path, { seq })).status).toBe(400);
  });

  it('shows receipts only to members who show theirs, and none between members whom a block parts', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { conversationId } = await scene.say(ann, bob, 'One');
    const topic = `conversation:${conversationId}`;
    const read = async () => void (await scene.ask(bob, 'POST', `/${conversationId}/read`));
    const withheld = () =>
      house.happened.flatMap((what) =>
        what.kind === 'event' && what.topic === topic && what.text.includes('message_read') ? [what.withheldFrom] : [],
      );
    const receipts = async (who: typeof ann) => (await scene.ask(who, 'GET', '')).items[0].receipts.length;
    const show = async (who: typeof ann, showReadReceipts: boolean) => {
      const request = { token: who.token, body: { privacySettings: { showReadReceipts } } };
      const answer = await house.api('PUT', `/api/social/users/${who.memberId}`, request);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    };
    await read();
    expect(withheld()).toEqual([[]]);
    expect([await receipts(ann), await receipts(bob)]).toEqual([1, 1]);
    await show(ann, false);
    await scene.say(ann, bob, 'Two');
    await read();
    expect(withheld()).toEqual([[], [ann.memberId]]);
    expect([await receipts(ann), await receipts(bob)]).toEqual([0, 0]);
    await show(ann, true);
    await show(bob, false);
    await scene.say(ann, bob, 'Three');
    await read();
    expect(withheld()).toHaveLength(2);
    expect([await receipts(ann), await receipts(bob)]).toEqual([0, 0]);
    await show(bob, true);
    await scene.say(ann, bob, 'Four');
    await scene.block(bob, ann);
    expect([await receipts(ann), await receipts(bob)]).toEqual([0, 0]);
    await read();
    expect(withheld().slice(2)).toEqual([[ann.memberId]]);
  });

  it('has settings that nobody else sees', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { conversationId } = await scene.say(ann, bob, 'One');
    const path = `/${conversationId}/settings`;
    const until = new Date(house.clock.now() + 60_000).toISOString();
    const initial = { notifications: 'all', mutedUntil: null, pinned: false, archived: false };
    const set = async (change: object) => await scene.ask(bob, 'PUT', path, change);
    expect(await set({})).toEqual(initial);
    expect(await set({ notifications: 'none', mutedUntil: until, pinned: true, archived: true })).toEqual({
      notifications: 'none',
      mutedUntil: until,
      pinned: true,
      archived: true,
    });
    expect((await scene.ask(bob, 'GET', '')).items).toEqual([]);
    expect((await scene.ask(bob, 'GET', '?archived=true')).items).toMatchObject([{ id: conversationId, pinned: true }]);
    expect((await scene.ask(ann, 'GET', '')).items[0]).toMatchObject(initial);
    house.clock.advance(60_000);
    expect(await set({ pinned: false })).toMatchObject({ notifications: 'none', mutedUntil: null, pinned: false });
    // Whoever writes takes the conversation out of the archive; what others write does not.
    await scene.say(ann, bob, 'Two');
    expect((await scene.ask(bob, 'GET', '?archived=false')).items).toEqual([]);
    await scene.say(bob, ann, 'Three');
    expect((await scene.ask(bob, 'GET', '?archived=false')).items).toMatchObject([{ archived: false }]);
    for (const mutedUntil of [
      'tomorrow',
      '2026-13-01T00:00:00Z',
      '2026-03-01T00:00:00+05',
      '9999-12-31T23:59:59-23:00',
    ])
      expect(said(await scene.call(bob, 'PUT', path, { mutedUntil }))).toBe('400 VALIDATION_ERROR');
    expect(await set({ mutedUntil: '2027-03-01T00:00:00+02:00' })).toMatchObject({
      mutedUntil: '2027-02-28T22:00:00.000Z',
    });
  });

  it('has keys that open what is stored, with the private key of the member', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'Secret');
    const message = await scene.ask(ann, 'PUT', `/${conversationId}/messages/${id}`, { content: 'Secret, again' });
    const room = { kind: 'conversation', id: conversationId };
    for (const who of [ann, bob]) {
      const answer = await scene.ask(who, 'GET', `/${conversationId}/keys`);
      expect(answer.conversationId).toBe(conversationId);
      const { privateKey } = await identityOf(who.mnemonic);
      const keys = openOwnKeys(privateKey, who.memberId, room, answer.keys);
      const { epoch, revision, senderId, encryptedContent } = message;
      const place = { epoch, revision, senderId, messageId: id };
      const sealed = Uint8Array.from(Buffer.from(encryptedContent, 'base64'));
      const open = (of: typeof place) => JSON.parse(fromUtf8(openMessage(keys.get(epoch)!, room, of, sealed)));
      expect(open(place)).toEqual({ content: 'Secret, again' });
      expect(() => open({ ...place, revision: 0 })).toThrow(CryptoError);
      expect(() => open({ ...place, senderId: bob.memberId })).toThrow(CryptoError);
    }
    expect(said(await scene.call(cleo, 'GET', `/${conversationId}/keys`))).toBe('403 FORBIDDEN');
  });

  it('tells the other one, and nobody else, that they are typing', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { conversationId } = await scene.say(ann, bob, 'One');
    const type = async (body: object) => await scene.call(ann, 'POST', `/${conversationId}/typing`, body);
    const expiresAt = new Date(house.clock.now() + 15_000).toISOString();
    expect((await type({})).body.data).toEqual({ expiresAt });
    expect((await type({ typing: false })).body.data).toEqual({ expiresAt: null });
    const events = told(house, `conversation:${conversationId}`);
    expect(events.map(([name, { memberId }]) => [name, memberId])).toEqual([
      ['communication:typing_start', ann.memberId],
      ['communication:typing_stop', ann.memberId],
    ]);
    const withheld = house.happened.flatMap((what) =>
      what.kind === 'event' && what.text.includes('typing_') ? [what.withheldFrom] : [],
    );
    expect(withheld).toEqual([[ann.memberId], [ann.memberId]]);
    await scene.block(bob, ann);
    expect(said(await type({}))).toBe('404 MEMBER_NOT_FOUND');
    expect(told(house, `conversation:${conversationId}`)).toEqual(events);
  });
});
