import { describe, expect, it } from 'vitest';
import { books } from '../../../src/contract/contacts/books.ts';
import { cards } from '../../../src/contract/contacts/cards.ts';
import { contactsLimits } from '../../../src/contract/contacts/limits.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { config } from '../../support/mail-config.ts';
import { bothEngines } from '../../support/stores.ts';
import { openContacts, type ContactsScene } from './contacts-scene.ts';

const bookId = 'members';

async function ask({ house }: ContactsScene, who: HouseMember, method: 'POST' | 'DELETE', path: string, body?: object) {
  const answer = await house.api(method, path, { token: who.token, ...(body !== undefined && { body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

describe.each(bothEngines)('the book of members on %s', (engine) => {
  it('has whom one follows, with the mailbox of this node', async () => {
    await using scene = await openContacts(engine, { config });
    const { ann, bob } = scene;
    await ask(scene, ann, 'POST', `/api/social/users/${bob.memberId}/follow`);
    expect(await scene.list(ann, bookId)).toEqual([
      {
        id: bob.memberId,
        bookId,
        etag: expect.any(String),
        kind: 'individual',
        displayName: 'bob',
        organization: '',
        emails: [{ value: 'bob@home.example', types: [] }],
        phones: [],
      },
    ]);
    // Nobody learns of their followers here.
    expect(await scene.list(bob, bookId)).toEqual([]);
    const { card } = await scene.done(cards.showCard, ann, { bookId, cardId: bob.memberId });
    expect(card).toMatchObject({ displayName: 'bob', uid: `conclave-member-${bob.memberId}` });
    expect(JSON.stringify(card)).not.toContain('bob@example.org');
    expect(await scene.export(ann, bookId)).toBe(card.vcard);
    expect(await scene.refused(cards.showCard, bob, { bookId, cardId: ann.memberId })).toBe('404 NOT_FOUND');
    expect(await scene.refused(cards.deleteCard, ann, { bookId, cardId: bob.memberId })).toBe('403 FORBIDDEN');
    const tag = async () => (await scene.done(books.showBook, ann, { bookId })).book.ctag;
    const before = await tag();
    await ask(scene, ann, 'DELETE', `/api/social/users/${bob.memberId}/follow`);
    expect(await scene.list(ann, bookId)).toEqual([]);
    expect(await tag()).not.toBe(before);
  });

  it('has who is in small groups, channels and hubs, until they leave, block, or are suspended', async () => {
    await using scene = await openContacts(engine);
    const { ann, bob, cleo, house } = scene;
    const dora = await house.register({ username: 'dora' });
    // A conversation of two makes nobody known.
    await ask(scene, dora, 'POST', '/api/conversations', { recipientId: ann.memberId, content: 'Hello' });
    const group = await ask(scene, ann, 'POST', '/api/groups', { name: 'Tea', memberIds: [bob.memberId] });
    const channel = await ask(scene, cleo, 'POST', '/api/channels', { name: 'cake', visibility: 'public' });
    await ask(scene, ann, 'POST', `/api/channels/${channel.id}/join`);
    const hub = await ask(scene, ann, 'POST', '/api/social/hubs', { name: 'Garden' });
    await ask(scene, dora, 'POST', `/api/social/hubs/${hub['_id']}/join`);
    expect(await scene.names(ann, bookId)).toEqual(['bob', 'cleo', 'dora']);
    expect(await scene.names(bob, bookId)).toEqual(['ann']);
    expect(await scene.names(ann, bookId, 'DOR')).toEqual(['dora']);

    const rooms = async (size: number) =>
      await house.ctx.db.updateTable('rooms').set({ member_count: size }).where('id', '=', group.id).execute();
    await rooms(contactsLimits.roomMembers + 1);
    expect(await scene.names(ann, bookId)).toEqual(['cleo', 'dora']);
    await rooms(contactsLimits.roomMembers);

    const suspended = async (status: 'active' | 'suspended') =>
      await house.ctx.db.updateTable('members').set({ status }).where('id', '=', dora.memberId).execute();
    await suspended('suspended');
    expect(await scene.names(ann, bookId)).toEqual(['bob', 'cleo']);
    expect(await scene.refused(cards.showCard, ann, { bookId, cardId: dora.memberId })).toBe('404 NOT_FOUND');
    await suspended('active');

    await ask(scene, bob, 'POST', `/api/social/users/${ann.memberId}/block`);
    expect([await scene.names(ann, bookId), await scene.names(bob, bookId)]).toEqual([['cleo', 'dora'], []]);
    await ask(scene, bob, 'DELETE', `/api/social/users/${ann.memberId}/block`);
    await ask(scene, ann, 'POST', `/api/social/users/${bob.memberId}/block`);
    expect([await scene.names(ann, bookId), await scene.names(bob, bookId)]).toEqual([['cleo', 'dora'], []]);

    await ask(scene, ann, 'POST', `/api/channels/${channel.id}/leave`);
    expect([await scene.names(ann, bookId), await scene.names(cleo, bookId)]).toEqual([['dora'], []]);
  });
});
