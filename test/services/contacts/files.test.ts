import { describe, expect, it } from 'vitest';
import { cards } from '../../../src/contract/contacts/cards.ts';
import { contactsLimits } from '../../../src/contract/contacts/limits.ts';
import { engines } from '../../support/stores.ts';
import { openContacts, type ContactsScene } from './contacts-scene.ts';
import { android, outlook, programs } from './vcard/programs.ts';

const card = (...lines: string[]) => ['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD', ''].join('\n');

async function only({ ann, ...scene }: ContactsScene, bookId: string) {
  const [listed] = await scene.list(ann, bookId);
  return (await scene.done(cards.showCard, ann, { bookId, cardId: listed?.id ?? '' })).card;
}

describe.each(engines)('files of contacts on %s', (engine) => {
  it('are imported, each bad vCard failing alone with its line, and exported as they were', async () => {
    await using scene = await openContacts(engine);
    const { ann } = scene;
    const bookId = await scene.book(ann);
    const good = Object.values(programs);
    const bad = card('FN:No colon', 'here') + card('NOTE:No name') + card('FN:Old').replace('3.0', '1.0');
    const result = await scene.import(ann, bookId, `${good[0]}${bad}${good.slice(1).join('')}BEGIN:VCARD\nFN:Cut`);
    const first = (good[0] ?? '').split('\r\n').length;
    expect(result).toEqual({
      imported: good.length,
      skipped: 0,
      overwritten: 0,
      failed: 4,
      errors: [
        { line: first, code: 'VALIDATION_ERROR', message: 'The vCard has a line that is no property: "here".' },
        { line: first + 5, code: 'VALIDATION_ERROR', message: expect.stringContaining('must have a name') },
        { line: first + 9, code: 'VALIDATION_ERROR', message: 'The vCard must have the version 3.0 or 4.0.' },
        { line: expect.any(Number), code: 'VALIDATION_ERROR', message: 'The vCard has no end.' },
      ],
    });
    const exported = await scene.export(ann, bookId);
    // Google's export has no UID, and gets one.
    const [uid = ''] = /UID:urn:uuid:[0-9a-f-]+\r\n/.exec(exported) ?? [];
    expect(exported.replace(uid, '')).toBe(good.join(''));
    // The same one each time.
    expect(await scene.import(ann, bookId, programs['Google Contacts'])).toMatchObject({ imported: 0, skipped: 1 });
  });

  it('have duplicates by their UID, which are skipped, overwritten, or made new', async () => {
    await using scene = await openContacts(engine);
    const { ann, house } = scene;
    const bookId = await scene.book(ann);
    const file = (name: string) => card('UID:one', `FN:${name}`) + card('UID:two', 'FN:Two');
    expect(await scene.import(ann, bookId, file('One'))).toMatchObject({ imported: 2 });
    const [before] = await scene.list(ann, bookId);
    expect(await scene.import(ann, bookId, file('Changed'))).toMatchObject({ imported: 0, skipped: 2 });
    expect(await scene.names(ann, bookId)).toEqual(['One', 'Two']);
    expect(await scene.import(ann, bookId, file('Changed'), 'overwrite')).toMatchObject({ overwritten: 2 });
    const [after] = await scene.list(ann, bookId);
    expect(after).toMatchObject({ id: before?.id, displayName: 'Changed' });
    const body = { vcf: file('New'), duplicateMode: 'create-new' };
    const headers = { 'idempotency-key': 'again' };
    const path = `/api/contacts/books/${bookId}/import`;
    const again = async () => await house.api('POST', path, { token: ann.token, body, headers });
    expect((await again()).body).toMatchObject({ result: { imported: 2 } });
    expect((await again()).body).toMatchObject({ result: { imported: 2 } });
    expect(await scene.names(ann, bookId)).toEqual(['Changed', 'New', 'Two', 'Two']);
  });

  it('that are none are refused, and of what does not fit the rest is named', async () => {
    await using scene = await openContacts(engine);
    const { ann, bob, house } = scene;
    const bookId = await scene.book(ann);
    const path = `/api/contacts/books/${bookId}/import`;
    const sent = async (body: object, token = ann.token) => await house.api('POST', path, { token, ...body });
    expect(await sent({ body: { vcf: 1 } })).toMatchObject({
      status: 400,
      body: { error: { code: 'IMPORT_UNREADABLE' } },
    });
    expect(await sent({ body: { vcf: ' ' } })).toMatchObject({
      status: 400,
      body: { error: { code: 'IMPORT_UNREADABLE' } },
    });
    expect(await sent({ body: { vcf: 'x' } }, bob.token)).toMatchObject({ status: 404 });
    expect(await sent({ rawBody: 'x', headers: { 'content-type': 'text/plain' } })).toMatchObject({ status: 415 });
    await house.ctx.db
      .updateTable('contact_books')
      .set({ cards: contactsLimits.cards - 1 })
      .execute();
    const result = await scene.import(ann, bookId, card('FN:Last') + card('FN:Late'));
    expect(result).toMatchObject({ imported: 1, failed: 1, errors: [{ line: 5, name: 'Late', code: 'CARDS_FULL' }] });
    expect(await scene.refused(cards.createCard, ann, { bookId, displayName: 'Late' })).toBe('409 CARDS_FULL');
    const large = card('FN:Large', `NOTE:${'x'.repeat(contactsLimits.cardBytes)}`);
    expect(await scene.import(ann, bookId, large)).toMatchObject({ failed: 1, errors: [{ line: 1 }] });
  });
});

describe.each(engines)('files of programs on %s', (engine) => {
  it.each([
    [
      'Apple Contacts',
      {
        displayName: 'Dr. John Q. Appleseed Jr.',
        name: { family: 'Appleseed', given: 'John', additional: 'Q.', prefix: 'Dr.', suffix: 'Jr.' },
        organization: 'Orchard, Inc.',
        units: ['Sales'],
        emails: [
          { value: 'john@orchard.example', types: ['home'], preferred: true },
          { value: 'j.appleseed@club.example', types: [], label: 'Chess club' },
        ],
        phones: [{ value: '(555) 012-3456', types: ['iphone', 'cell'], preferred: true }],
        addresses: [{ value: { street: '1 Long Road\nBuilding 2', postalCode: '95014' } }],
        urls: [{ value: 'https://orchard.example/john', label: 'HomePage' }],
        birthday: '--06-24',
        hasPhoto: true,
      },
    ],
    [
      'Google Contacts',
      {
        emails: [{ types: ['home'] }, { value: 'amazing@grace.example', label: 'Lectures' }],
        addresses: [{ value: { street: 'Street 1', city: 'Arlington', country: 'United States' } }],
        birthday: '1906-12-09',
        categories: ['myContacts', 'Starred'],
      },
    ],
    ['Nextcloud', { emails: [{ types: ['home'], preferred: true }], phones: [{ types: ['work'] }], hasPhoto: true }],
    [
      'Thunderbird',
      {
        version: '4.0',
        emails: [{ value: 'alan@bletchley.example', preferred: true }, { types: ['work'] }],
        birthday: '1912-06-23',
        note: 'runs, and thinks',
      },
    ],
    [
      'DAVx5',
      {
        emails: [{ value: 'hedy@hop.example', label: 'Frequencies' }],
        phones: [{ value: '+43-1-5550100', types: ['cell'], preferred: true }],
        birthday: '--11-09',
      },
    ],
    ['khard', { phones: [{ types: ['cell'], preferred: true }], name: { prefix: 'Prof.' }, uid: '4t2x7q9w1e3r5t7y' }],
  ] as const)('of %s show what they have', async (name, fields) => {
    await using scene = await openContacts(engine);
    const bookId = await scene.book(scene.ann);
    await scene.import(scene.ann, bookId, programs[name]);
    expect(await only(scene, bookId)).toMatchObject(fields);
  });

  it('of Outlook and Android, in version 2.1, become version 3.0', async () => {
    await using scene = await openContacts(engine);
    const { ann } = scene;
    const bookId = await scene.book(ann);
    expect(await scene.import(ann, bookId, outlook)).toMatchObject({ imported: 1, failed: 0 });
    const made = await only(scene, bookId);
    expect(made).toMatchObject({
      version: '3.0',
      displayName: 'Dr. Jürgen Müller',
      name: { family: 'Müller', given: 'Jürgen', prefix: 'Dr.' },
      organization: 'Müller, Söhne',
      units: ['Einkauf'],
      title: 'Geschäftsführer',
      note: 'Eine Zeile, die so lang ist, dass sie gebrochen wird\nund eine zweite; mit €',
      phones: [
        { value: '+49 30 5550100', types: ['work'] },
        { value: '+49 151 5550100', types: ['cell'] },
      ],
      addresses: [{ value: { street: 'Straße 1\nHinterhaus', city: 'Berlin' }, types: ['work'], preferred: true }],
      urls: [{ value: 'https://mueller.example/a,b', types: ['work'] }],
      emails: [{ value: 'juergen@mueller.example', preferred: true }],
      hasPhoto: true,
    });
    expect(made.vcard).toContain('N;LANGUAGE=de:Müller;Jürgen;;Dr.;\r\n');
    expect(made.vcard).toContain('AGENT:BEGIN:VCARD\\nVERSION:2.1\\nFN:Assistent\\nEND:VCARD\r\n');
    const photo = /PHOTO;ENCODING=b;TYPE=JPEG:((?:[^\r]|\r\n )+)/.exec(made.vcard)?.[1]?.replaceAll('\r\n ', '');
    expect(Buffer.from(photo ?? '', 'base64')).toEqual(Buffer.alloc(150, 0xff));
    await scene.import(ann, bookId, android);
    expect(await scene.names(ann, bookId, 'ковалевская')).toEqual(['Софья Ковалевская']);
  });
});
