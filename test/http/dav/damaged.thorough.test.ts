import { describe, expect, it } from 'vitest';
import { books } from '../../../src/contract/contacts/books.ts';
import { bothEngines } from '../../support/stores.ts';
import { depth, document, eventText, openDav, prop, propfindBody, syncBody, type DavScene } from './dav-scene.ts';

/** What each of several resources is in an answer: its tag and content, or its status. */
async function seenBy(scene: DavScene, path: string, method: string, body: string) {
  const answer = await scene.dav(scene.ann, method, path, { headers: depth('1'), body });
  expect(answer.status).toBe(207);
  const all = [...answer.responses].filter(([href]) => href !== path);
  return Object.fromEntries(
    all.map(([href, { status, found }]) => [
      href.slice(path.length),
      status ?? Object.keys(found).toSorted().join(' '),
    ]),
  );
}

const zeros = new Uint8Array(64);

describe.each(bothEngines)('what does not open on %s', (engine) => {
  it('is named in answers about events, with all that stands behind it', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann);
    const path = `/dav/calendars/${ann.memberId}/${id}/`;
    for (const name of ['a', 'b', 'c'])
      await scene.dav(ann, 'PUT', `${path}${name}.ics`, { body: eventText({ uid: name, lines: ['LOCATION:x'] }) });
    const { db } = scene.house.ctx;
    await db
      .updateTable('calendar_objects')
      .set({ sealed: zeros, octets: zeros })
      .where('name', '=', 'b.ics')
      .execute();
    const good = 'c:calendar-data d:getetag';
    const others = { 'a.ics': good, 'b.ics': 500, 'c.ics': good };
    const both = prop('d:getetag', 'c:calendar-data');
    const hrefs = ['a', 'b', 'c'].map((name) => `<d:href>${path}${name}.ics</d:href>`).join('');
    expect(await seenBy(scene, path, 'PROPFIND', propfindBody('d:getetag', 'c:calendar-data'))).toEqual(others);
    expect(await seenBy(scene, path, 'REPORT', document('c:calendar-multiget', both + hrefs))).toEqual(others);
    expect(await seenBy(scene, path, 'REPORT', syncBody('', both))).toEqual(others);
    const having = (inner: string) =>
      `<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">${inner}</c:comp-filter></c:comp-filter></c:filter>`;
    const where = '<c:prop-filter name="LOCATION"><c:text-match>x</c:text-match></c:prop-filter>';
    for (const inner of ['', where])
      expect(await seenBy(scene, path, 'REPORT', document('c:calendar-query', both + having(inner)))).toEqual(others);
    // Programs that ask what there is see that it is there, and keep what they have of it.
    const tags = { 'a.ics': 'd:getetag', 'b.ics': 'd:getetag', 'c.ics': 'd:getetag' };
    expect(await seenBy(scene, path, 'PROPFIND', propfindBody('d:getetag'))).toEqual(tags);
    expect(await seenBy(scene, path, 'REPORT', syncBody('', prop('d:getetag')))).toEqual(tags);
    expect((await scene.dav(ann, 'GET', `${path}b.ics`)).status).toBe(500);
    expect(scene.house.log.lines.map(({ message }) => message)).toContain('a resource does not open');
  });

  it('is named in answers about contacts, with all that stands behind it', async () => {
    await using scene = await openDav(engine);
    const { ann } = scene;
    const { books: own } = await scene.done(books.listBooks, ann, {});
    const path = `/dav/contacts/${ann.memberId}/${own.find(({ isDefault }) => isDefault)?.id}/`;
    for (const name of ['a', 'b', 'c']) {
      const body = ['BEGIN:VCARD', 'VERSION:3.0', `UID:${name}`, 'FN:Ada', 'N:Ada;;;;', 'END:VCARD', ''].join('\r\n');
      expect((await scene.dav(ann, 'PUT', `${path}${name}.vcf`, { body })).status).toBe(201);
    }
    const { db } = scene.house.ctx;
    await db.updateTable('contact_cards').set({ octets: zeros }).where('name', '=', 'b.vcf').execute();
    const good = 'card:address-data d:getetag';
    const others = { 'a.vcf': good, 'b.vcf': 500, 'c.vcf': good };
    const both = prop('d:getetag', 'card:address-data');
    const hrefs = ['a', 'b', 'c'].map((name) => `<d:href>${path}${name}.vcf</d:href>`).join('');
    expect(await seenBy(scene, path, 'PROPFIND', propfindBody('d:getetag', 'card:address-data'))).toEqual(others);
    expect(await seenBy(scene, path, 'REPORT', document('card:addressbook-multiget', both + hrefs))).toEqual(others);
    expect(await seenBy(scene, path, 'REPORT', syncBody('', both))).toEqual(others);
    const filter =
      '<card:filter><card:prop-filter name="FN"><card:text-match>ada</card:text-match></card:prop-filter></card:filter>';
    expect(await seenBy(scene, path, 'REPORT', document('card:addressbook-query', both + filter))).toEqual(others);
    expect((await scene.dav(ann, 'GET', `${path}b.vcf`)).status).toBe(500);
  });
});
