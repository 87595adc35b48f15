import { describe, expect, it } from 'vitest';
import { cards } from '../../../src/contract/contacts/cards.ts';
import { contactsLimits } from '../../../src/contract/contacts/limits.ts';
import { purgeContacts } from '../../../src/services/contacts/purge.ts';
import { bothEngines } from '../../support/stores.ts';
import { openContacts } from './contacts-scene.ts';

const { listCards, createCard, showCard, replaceCard, updateCard, deleteCard } = cards;

const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');

describe.each(bothEngines)('contacts on %s', (engine) => {
  it('are made from fields, and shown as they were given', async () => {
    await using scene = await openContacts(engine);
    const { ann } = scene;
    const bookId = await scene.book(ann);
    const made = await scene.add(ann, bookId, {
      displayName: 'Dr. Ada Lovelace',
      name: { given: 'Ada', family: 'Lovelace', prefix: 'Dr.' },
      emails: [
        { value: 'ada@example.org', types: ['work'], preferred: true },
        { value: 'a@b.example', label: 'Séance' },
      ],
      phones: [{ value: '+44 20 7946 0000', types: ['cell'] }],
      addresses: [{ value: { street: '12 St James’s Sq; back door', city: 'London' }, types: ['home'] }],
      organization: 'Analytical, Engines',
      units: ['Research'],
      title: 'Countess',
      birthday: '--12-10',
      note: 'Line one\nline two; with, marks',
      urls: [{ value: 'https://example.org/a,b' }],
      categories: ['Friends', 'Maths, old'],
    });
    expect(made).toMatchObject({
      version: '3.0',
      kind: 'individual',
      uid: expect.stringMatching(/^urn:uuid:[0-9a-f-]{14}4[0-9a-f]{3}-[89ab]/),
      displayName: 'Dr. Ada Lovelace',
      name: { family: 'Lovelace', given: 'Ada', additional: '', prefix: 'Dr.', suffix: '' },
      emails: [
        { value: 'ada@example.org', types: ['work'], preferred: true },
        { value: 'a@b.example', types: [], label: 'Séance' },
      ],
      phones: [{ value: '+44 20 7946 0000', types: ['cell'] }],
      addresses: [{ types: ['home'], value: { street: '12 St James’s Sq; back door', city: 'London', country: '' } }],
      organization: 'Analytical, Engines',
      units: ['Research'],
      title: 'Countess',
      birthday: '--12-10',
      note: 'Line one\nline two; with, marks',
      urls: [{ value: 'https://example.org/a,b', types: [] }],
      categories: ['Friends', 'Maths, old'],
      hasPhoto: false,
    });
    expect(await scene.done(showCard, ann, { bookId, cardId: made.id })).toEqual({ card: made });
    expect(Math.max(...made.vcard.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
  });

  it('keep a vCard octet for octet, and change only the lines of what changes', async () => {
    await using scene = await openContacts(engine);
    const { ann } = scene;
    const bookId = await scene.book(ann);
    const vcard = card(
      'version:4.0',
      'UID:one',
      'FN;LANGUAGE=de:Ada',
      'item1.EMAIL;TYPE=work:ada@example.org',
      'item1.X-ABLabel:_$!<HomePage>!$_',
      'EMAIL:old@example.org',
      'X-ODD;A="b;c:d":one\\,two',
      ' three',
      'PHOTO:data:image/png;base64,AAAA',
    );
    const made = await scene.add(ann, bookId, { vcard });
    expect(made).toMatchObject({ vcard, version: '4.0', hasPhoto: true });
    expect(made.emails[0]).toEqual({ value: 'ada@example.org', types: ['work'], label: 'HomePage' });
    const emails = [{ value: 'ada@example.org' }, { value: 'new@example.org', types: ['home'], preferred: true }];
    const { card: changed } = await scene.done(updateCard, ann, { bookId, cardId: made.id, emails, title: 'Countess' });
    expect(changed.vcard).toBe(
      vcard
        .replace('EMAIL:old@example.org', 'EMAIL;TYPE=home;PREF=1:new@example.org')
        .replace('END:VCARD', 'TITLE:Countess\r\nEND:VCARD'),
    );
    const gone = { bookId, cardId: made.id, emails: [], title: null };
    const { card: without } = await scene.done(updateCard, ann, gone);
    expect(without.vcard).toBe(
      vcard
        .replace('EMAIL:old@example.org\r\n', '')
        .replace('item1.EMAIL;TYPE=work:ada@example.org\r\nitem1.X-ABLabel:_$!<HomePage>!$_\r\n', ''),
    );
  });

  it('are changed only as they were read, with If-Match, and answer with their ETag', async () => {
    await using scene = await openContacts(engine);
    const { ann, house } = scene;
    const bookId = await scene.book(ann);
    const made = await scene.add(ann, bookId, { displayName: 'Ada' });
    const on = { bookId, cardId: made.id };
    const answer = await house.perform(updateCard, { ...on, title: 'One', ifMatch: `"${made.etag}"` }, ann.token);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe(`"${answer.body.card.etag}"`);
    expect(answer.body.card.etag).not.toBe(made.etag);
    const stale = { ifMatch: `"${made.etag}"` };
    for (const refused of [
      await scene.refused(updateCard, ann, { ...on, title: 'Two', ...stale }),
      await scene.refused(replaceCard, ann, { ...on, displayName: 'Two', ...stale }),
      await scene.refused(deleteCard, ann, { ...on, ...stale }),
      await scene.refused(deleteCard, ann, { ...on, ifMatch: `W/"${answer.body.card.etag}"` }),
    ])
      expect(refused).toBe('412 PRECONDITION_FAILED');
    const { card: replaced } = await scene.done(replaceCard, ann, { ...on, displayName: 'Eve', ifMatch: '*' });
    expect(replaced).toMatchObject({ uid: made.uid, displayName: 'Eve', title: '' });
    expect(await scene.done(deleteCard, ann, on)).toEqual({ success: true });
    expect(await scene.refused(showCard, ann, on)).toBe('404 NOT_FOUND');
    expect(await scene.storedBytes(ann)).toBe(0);
  });

  it('are refused when they are none, too large, or have a UID that is there', async () => {
    await using scene = await openContacts(engine);
    const { ann, bob } = scene;
    const bookId = await scene.book(ann);
    const there = await scene.add(ann, bookId, { vcard: card('VERSION:3.0', 'UID:one', 'FN:Ada') });
    const many = Array.from({ length: contactsLimits.lines }, (_, at) => `NOTE:${at}`);
    const group = Array.from({ length: 300 }, (_, at) => `MEMBER:urn:uuid:${at}`);
    for (const vcard of [
      '',
      'Ada',
      card('VERSION:3.0', 'FN:Ada').slice(0, -12),
      card('VERSION:2.1', 'FN:Ada'),
      card('FN:Ada'),
      card('VERSION:3.0', 'FN:'),
      card('VERSION:3.0', 'FN:Ada', 'no property'),
      card('VERSION:3.0', 'FN:Ada').repeat(2),
      card('VERSION:3.0', 'FN:Ada', ...many),
      card('VERSION:3.0', 'FN:Ada', `NOTE:${'é'.repeat(600_000)}`),
      card('VERSION:3.0', 'FN:Ada', `UID:${'u'.repeat(1_025)}`),
    ])
      expect(await scene.refused(createCard, ann, { bookId, vcard }), vcard.slice(0, 60)).toBe('400 VALIDATION_ERROR');
    for (const fields of [
      {},
      { displayName: 'Ada', vcard: card('VERSION:3.0', 'FN:Ada') },
      { displayName: 'Ada', emails: [{ value: 'nobody' }] },
      { displayName: 'Ada', birthday: '1990-13-01' },
    ])
      expect(await scene.refused(createCard, ann, { bookId, ...fields })).toBe('400 VALIDATION_ERROR');
    await scene.add(ann, bookId, { vcard: card('VERSION:4.0', 'KIND:group', 'FN:All', ...group) });
    const twice = { vcard: card('VERSION:4.0', 'UID:one', 'FN:Eve') };
    const { house } = scene;
    expect(await house.perform(createCard, { bookId, ...twice }, ann.token)).toMatchObject({
      status: 409,
      body: { error: { code: 'CARD_EXISTS', details: { cardId: there.id } } },
    });
    const other = await scene.add(ann, bookId, { displayName: 'Eve' });
    expect(await scene.refused(replaceCard, ann, { bookId, cardId: other.id, ...twice })).toBe('409 CARD_EXISTS');
    // Another book, and another member, may have the same one.
    await scene.add(bob, await scene.book(bob), twice);
    expect(await scene.refused(showCard, bob, { bookId: await scene.book(bob), cardId: there.id })).toBe(
      '404 NOT_FOUND',
    );
  });

  it('are listed by name in pages, and found by parts of words in any case and accents', async () => {
    await using scene = await openContacts(engine);
    const { ann } = scene;
    const bookId = await scene.book(ann);
    await scene.add(ann, bookId, { displayName: 'Zoë Brontë', emails: [{ value: 'z.bronte@moor.example' }] });
    await scene.add(ann, bookId, { displayName: 'émile', phones: [{ value: '+33 (1) 23 45 67' }] });
    await scene.add(ann, bookId, { displayName: 'Bob Builder', organization: 'Moor Works', note: 'secret' });
    await scene.add(ann, bookId, { displayName: '山田 太郎', categories: ['Tokyo'] });
    expect(await scene.names(ann, bookId)).toEqual(['Bob Builder', 'émile', 'Zoë Brontë', '山田 太郎']);
    expect(await scene.names(ann, bookId, 'MOOR')).toEqual(['Bob Builder', 'Zoë Brontë']);
    expect(await scene.names(ann, bookId, 'bronte zoe')).toEqual(['Zoë Brontë']);
    expect(await scene.names(ann, bookId, '3312345')).toEqual(['émile']);
    expect(await scene.names(ann, bookId, '太')).toEqual(['山田 太郎']);
    expect(await scene.names(ann, bookId, 'secret')).toEqual([]);
    const walked: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await scene.done(listCards, ann, { bookId, limit: 3, ...(cursor !== undefined && { cursor }) });
      walked.push(...page.cards.map(({ displayName }) => displayName));
      cursor = page.cursor;
      if (!page.hasMore) break;
      expect(await scene.refused(listCards, ann, { bookId, q: 'moor', cursor: cursor ?? '' })).toBe(
        '400 INVALID_CURSOR',
      );
    }
    expect(walked).toEqual(['Bob Builder', 'émile', 'Zoë Brontë', '山田 太郎']);
  });

  it('leave nothing readable in the store, and a trace of ninety days of what was deleted', async () => {
    await using scene = await openContacts(engine);
    const { ann, house } = scene;
    const bookId = await scene.book(ann);
    const made = await scene.add(ann, bookId, { displayName: 'Mata Hari', emails: [{ value: 'h21@spy.example' }] });
    const rows = JSON.stringify(await house.ctx.db.selectFrom('contact_cards').selectAll().execute());
    const blobs = await house.ctx.db.selectFrom('contact_cards').select(['summary', 'octets']).execute();
    const texts = [
      rows,
      ...blobs.flatMap(({ summary, octets }) => [summary, octets].map((one) => Buffer.from(one).toString('latin1'))),
    ];
    for (const text of texts) expect(text).not.toMatch(/Hari|h21|urn:uuid/);
    await scene.done(deleteCard, ann, { bookId, cardId: made.id });
    const traces = async () => await house.ctx.db.selectFrom('contact_tombstones').selectAll().execute();
    expect(await traces()).toEqual([
      { book_id: bookId, name: `${made.id}.vcf`, card_id: made.id, change_seq: 2, deleted_at: house.clock.now() },
    ]);
    house.clock.advance(90 * 24 * 3_600_000 - 1);
    await purgeContacts(house.ctx);
    expect(await traces()).toHaveLength(1);
    house.clock.advance(1);
    await purgeContacts(house.ctx);
    expect(await traces()).toEqual([]);
    const [book] = await house.ctx.db.selectFrom('contact_books').select('forgotten_seq').execute();
    expect(book).toEqual({ forgotten_seq: 2 });
  });

  it('count to the storage of their owner, and are refused when it is used up', async () => {
    await using plain = await openContacts(engine);
    const storage = { ...plain.house.ctx.config.storage, perMemberBytes: 3_000 };
    await using scene = await openContacts(engine, { config: { storage } });
    const { ann } = scene;
    const bookId = await scene.book(ann);
    const made = await scene.add(ann, bookId, { displayName: 'Ada' });
    const before = await scene.storedBytes(ann);
    const long = { note: 'x'.repeat(4_000) };
    expect(await scene.refused(createCard, ann, { bookId, displayName: 'Eve', ...long })).toBe(
      '413 STORAGE_QUOTA_EXCEEDED',
    );
    expect(await scene.refused(updateCard, ann, { bookId, cardId: made.id, ...long })).toBe(
      '413 STORAGE_QUOTA_EXCEEDED',
    );
    expect(await scene.storedBytes(ann)).toBe(before);
    await scene.done(updateCard, ann, { bookId, cardId: made.id, note: 'x'.repeat(100) });
    expect(await scene.storedBytes(ann)).toBeGreaterThan(before);
    expect(await scene.names(ann, bookId)).toEqual(['Ada']);
  });
});
