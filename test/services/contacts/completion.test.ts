import { describe, expect, it } from 'vitest';
import { completion } from '../../../src/contract/contacts/completion.ts';
import { engines } from '../../support/stores.ts';
import { config } from '../../support/mail-config.ts';
import { openContacts } from './contacts-scene.ts';

describe.each(engines)('completion of addresses on %s', (engine) => {
  it('has own contacts and members, the best first, and each address once', async () => {
    await using scene = await openContacts(engine, { config });
    const { ann, bob, house } = scene;
    const bookId = await scene.book(ann);
    await house.api('POST', `/api/social/users/${bob.memberId}/follow`, { token: ann.token });
    const matches = async (q: string) => (await scene.done(completion.complete, ann, { q })).matches;
    const [member] = await matches('bo');
    expect(member).toEqual({
      name: 'bob',
      address: expect.stringMatching(/^bob@/),
      bookId: 'members',
      cardId: bob.memberId,
      username: 'bob',
    });
    await scene.add(ann, bookId, { displayName: 'Jim Bob', emails: [{ value: 'jim@moor.example' }] });
    await scene.add(ann, bookId, {
      displayName: 'Bobby Zed',
      emails: [{ value: 'old@zed.example' }, { value: 'bz@zed.example', preferred: true }],
    });
    await scene.add(ann, bookId, { displayName: 'Kaboom', emails: [{ value: 'k@ab.example' }] });
    await scene.add(ann, bookId, { displayName: 'Bob without address' });
    const own = await scene.add(ann, bookId, { displayName: 'Robert', emails: [{ value: member?.address ?? '' }] });
    const names = async (q: string) =>
      (await matches(q)).map(({ name, address }) => `${name} ${address.split('@')[0]}`);
    expect(await names('bo')).toEqual(['Bobby Zed bz', 'Robert bob', 'Bobby Zed old', 'Jim Bob jim', 'Kaboom k']);
    expect((await matches('bob@'))[0]).toMatchObject({ name: 'Robert', cardId: own.id, username: 'bob' });
    expect(await names('ZED bob')).toEqual(['Bobby Zed bz', 'Bobby Zed old']);
    expect(await names('bz@')).toEqual(['Bobby Zed bz']);
    expect(await names('nobody')).toEqual([]);
  });

  it('has at most twenty, and nothing of others', async () => {
    await using scene = await openContacts(engine);
    const { ann, bob } = scene;
    const file = Array.from(
      { length: 25 },
      (_, at) => `BEGIN:VCARD\nVERSION:3.0\nFN:Twin ${at}\nEMAIL:twin${at}@many.example\nEND:VCARD\n`,
    );
    await scene.import(ann, await scene.book(ann), file.join(''));
    expect((await scene.done(completion.complete, ann, { q: 'twin' })).matches).toHaveLength(20);
    expect((await scene.done(completion.complete, bob, { q: 'twin' })).matches).toEqual([]);
  });
});
