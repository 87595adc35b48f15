import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { depth, document, openDav, prop, syncBody, type DavScene } from './dav-scene.ts';

let scene: DavScene;
let principal: string;
beforeAll(async () => {
  scene = await openDav('sqljs');
  principal = `/dav/principals/${scene.ann.memberId}/`;
});
afterAll(async () => await scene[Symbol.asyncDispose]());

const report = async (path: string, body: string) =>
  await scene.dav(scene.ann, 'REPORT', path, { headers: depth('0'), body });

describe('reports about principals', () => {
  const search = (match: string, attributes = '', property = 'd:displayname') =>
    document(
      'd:principal-property-search',
      `<d:property-search>${prop(property)}<d:match>${match}</d:match></d:property-search>${prop('d:displayname')}`,
    ).replace(/xmlns:a="[^"]*"/, (whole) => `${whole} ${attributes}`);

  it('find the member who asks, and nobody else', async () => {
    const found = async (body: string) => [...(await report('/dav/principals/', body)).responses.keys()];
    expect(await found(search('AN'))).toEqual([principal]);
    expect(await found(search('bob'))).toEqual([]);
    expect(await found(search('', 'test="anyof"'))).toEqual([]);
    expect(await found(search('ann', '', 'd:owner'))).toEqual([]);
    const properties = await report(principal, document('d:principal-search-property-set', ''));
    expect([properties.status, properties.text]).toEqual([200, expect.stringContaining('<d:displayname/>')]);
  });

  it('follow addresses in properties, to what the member may see, and not without an end', async () => {
    const inner =
      '<d:property name="displayname"/><d:property name="principal-URL"><d:property name="principal-URL"/></d:property>';
    const nested = (levels: number): string =>
      levels === 0 ? inner : `<d:property name="principal-URL">${nested(levels - 1)}</d:property>`;
    const answer = await report(
      principal,
      document('d:expand-property', `${nested(1)}<d:property name="x" namespace="urn:y"/>`),
    );
    expect(answer.status).toBe(207);
    expect(answer.text).toContain(`<d:principal-URL><d:response><d:href>${principal}</d:href>`);
    expect(answer.text).toContain('<d:displayname>ann</d:displayname>');
    expect(answer.text).toContain('<x:x xmlns:x="urn:y"/>');
    const deep = await report(principal, document('d:expand-property', nested(20)));
    expect(deep.text.match(/<d:response>/g)).toHaveLength(4);
    // Each of three levels has some addresses, and what is beyond the bound of all of them stays one.
    const names = ['principal-URL', 'current-user-principal', 'owner', 'principal-collection-set'];
    const ofCalendars = ['calendar-home-set', 'schedule-inbox-URL', 'schedule-outbox-URL'].map(
      (name) => `${name}" namespace="urn:ietf:params:xml:ns:caldav`,
    );
    const wide = (levels: number): string =>
      levels === 0
        ? ''
        : [...names, ...ofCalendars]
            .map((name) => `<d:property name="${name}">${wide(levels - 1)}</d:property>`)
            .join('');
    const many = await report(principal, document('d:expand-property', wide(4)));
    expect(many.text.match(/<d:response>/g)).toHaveLength(101);
    const twice = await report(principal, document('d:expand-property', inner.repeat(50)));
    expect(twice.text.match(/<d:displayname>/g)).toHaveLength(1);
    const owner = await report(
      `/dav/calendars/${scene.ann.memberId}/`,
      document('d:expand-property', `<d:property name="owner">${inner}</d:property>`),
    );
    expect(owner.text).toContain('<d:displayname>ann</d:displayname>');
  });

  it('look into the inbox as into a calendar, which is empty', async () => {
    const inbox = `/dav/calendars/${scene.ann.memberId}/inbox/`;
    const answer = await report(inbox, syncBody());
    expect([answer.status, answer.responses.size, answer.syncToken]).toEqual([207, 0, 'urn:conclave:sync:inbox']);
    const filter = '<c:filter><c:comp-filter name="VCALENDAR"/></c:filter>';
    expect((await report(inbox, document('c:calendar-query', prop('d:getetag') + filter))).responses.size).toBe(0);
    const outbox = await report(inbox.replace('inbox', 'outbox'), syncBody());
    expect([outbox.status, outbox.preconditions]).toEqual([403, ['d:supported-report']]);
  });
});

describe('bodies that do harm elsewhere', () => {
  const bomb = `<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>`;
  const outside = `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>`;
  const methods = ['PROPFIND', 'PROPPATCH', 'REPORT', 'MKCALENDAR', 'MKCOL'];

  it.each(methods)('are refused by %s, and nothing of the server is in the answer', async (method) => {
    const path = `/dav/calendars/${scene.ann.memberId}/harm/`;
    const ask = async (body: string | Uint8Array<ArrayBuffer>) =>
      await scene.dav(scene.ann, method, path, { headers: depth('0'), body });
    for (const type of [bomb, outside]) {
      const answer = await ask(`${type}<d:propfind xmlns:d="DAV:"><d:prop>&b;</d:prop></d:propfind>`);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('no document type declaration')]);
      expect(answer.text).not.toContain('root:');
    }
    expect((await ask('<a>'.repeat(50))).status).toBe(400);
    expect((await ask(Uint8Array.of(0xff, 0xfe, 0x3c))).status).toBe(400);
    const large = await ask(`<a>${' '.repeat(1024 ** 2)}</a>`);
    expect([large.status, large.headers.get('connection')]).toEqual([413, 'close']);
    expect((await scene.dav(scene.ann, 'PROPFIND', path, { headers: depth('0') })).status).toBe(404);
  });
});
