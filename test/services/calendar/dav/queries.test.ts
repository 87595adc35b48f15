import { describe, expect, it } from 'vitest';
import { bothEngines } from '../../../support/stores.ts';
import { depth, document, eventText, openDav, prop, type DavScene } from '../../../http/dav/dav-scene.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';

const comp = (name: string, inner: string) => `<c:comp-filter name="${name}">${inner}</c:comp-filter>`;
const events = (inner: string) => `<c:filter>${comp('VCALENDAR', comp('VEVENT', inner))}</c:filter>`;
const range = (start?: string, end?: string) =>
  `<c:time-range${start === undefined ? '' : ` start="${start}"`}${end === undefined ? '' : ` end="${end}"`}/>`;
const query = (filter: string, more = prop('d:getetag')) => document('c:calendar-query', more + filter);

async function scenery(engine: Parameters<typeof openDav>[0]) {
  const scene = await openDav(engine);
  const { ann } = scene;
  const { id } = await scene.calendarOf(ann);
  const path = `/dav/calendars/${ann.memberId}/${id}/`;
  const put = async (name: string, text: string) => {
    const { status, text: why } = await scene.dav(ann, 'PUT', `${path}${name}.ics`, { body: text });
    if (status !== 201) throw new Error(`PUT: ${status} ${why}`);
  };
  return { scene, ann, id, path, put };
}

async function found(scene: DavScene, who: HouseMember, path: string, body: string) {
  const answer = await scene.dav(who, 'REPORT', path, { headers: depth('1'), body });
  if (answer.status !== 207) return [`${answer.status} ${answer.preconditions.join()}`];
  return [...answer.responses.keys()].map((href) => href.slice(path.length).replace('.ics', '')).toSorted();
}

describe.each(bothEngines)('queries for events on %s', (engine) => {
  it('find by ranges, also open ones, what happens then', async () => {
    const { scene, ann, path, put } = await scenery(engine);
    await using _ = scene;
    const at = (day: string, more: string[] = []) =>
      ({ start: `DTSTART:${day}T100000Z`, end: `DTEND:${day}T110000Z`, lines: more }) as const;
    await put('old', eventText({ uid: 'old', ...at('20200105') }));
    await put('new', eventText({ uid: 'new', ...at('20260120') }));
    await put('weekly', eventText({ uid: 'weekly', ...at('20240101', ['RRULE:FREQ=WEEKLY']) }));
    await put('ended', eventText({ uid: 'ended', ...at('20100101', ['RRULE:FREQ=DAILY;COUNT=3']) }));
    await put(
      'long',
      eventText({ uid: 'long', start: 'DTSTART;VALUE=DATE:20200101', end: 'DTEND;VALUE=DATE:20300101' }),
    );
    const task = eventText({ uid: 'task', end: 'DUE:20260120T120000Z' }).replaceAll('VEVENT', 'VTODO');
    await put('task', task);
    const by = async (filter: string) => await found(scene, ann, path, query(filter));
    expect(await by(events(range('20260120T000000Z', '20260121T000000Z')))).toEqual(['long', 'new']);
    expect(await by(events(range('20260119T100000Z', '20260119T103000Z')))).toEqual(['long', 'weekly']);
    expect(await by(events(range('20260120T110000Z', '20260120T120000Z')))).toEqual(['long']);
    expect(await by(events(range('20260120T105959Z', '20260120T120000Z')))).toEqual(['long', 'new']);
    expect(await by(events(range('20260115T000000Z')))).toEqual(['long', 'new', 'weekly']);
    expect(await by(events(range(undefined, '20200110T000000Z')))).toEqual(['ended', 'long', 'old']);
    // Far from now nothing is written down, and it is computed.
    expect(await by(events(range('20500103T000000Z', '20500104T000000Z')))).toEqual(['weekly']);
    expect(await by(events(range('20100102T000000Z', '20100103T000000Z')))).toEqual(['ended']);
    expect(await by(events(''))).toEqual(['ended', 'long', 'new', 'old', 'weekly']);
    expect(await by(`<c:filter>${comp('VCALENDAR', '')}</c:filter>`)).toHaveLength(6);
    const tasks = (inner: string) => `<c:filter>${comp('VCALENDAR', comp('VTODO', inner))}</c:filter>`;
    expect(await by(tasks(''))).toEqual(['task']);
    expect(await by(tasks(range('20260120T000000Z', '20260121T000000Z')))).toEqual(['task']);
    expect(await by(tasks(range('20270120T000000Z', '20270121T000000Z')))).toEqual([]);
  });

  it('find by properties, their texts and parameters', async () => {
    const { scene, ann, path, put } = await scenery(engine);
    await using _ = scene;
    await put(
      'a',
      eventText({ uid: 'a@x', summary: 'Über Lunch', lines: ['ATTENDEE;PARTSTAT=DECLINED:mailto:bob@x.test'] }),
    );
    await put('b', eventText({ uid: 'b@x', summary: 'Dinner', lines: ['CATEGORIES:WORK,Food', 'LOCATION:Home'] }));
    const match = (value: string, attributes = '') => `<c:text-match ${attributes}>${value}</c:text-match>`;
    const having = (name: string, inner = '') => events(`<c:prop-filter name="${name}">${inner}</c:prop-filter>`);
    const by = async (filter: string) => await found(scene, ann, path, query(filter));
    expect(await by(having('UID', match('a@x', 'collation="i;octet"')))).toEqual(['a']);
    expect(await by(having('UID', match('A@X', 'collation="i;octet"')))).toEqual([]);
    expect(await by(having('SUMMARY', match('LUNCH')))).toEqual(['a']);
    expect(await by(having('SUMMARY', match('über')))).toEqual([]);
    expect(await by(having('SUMMARY', match('über', 'collation="i;unicode-casemap"')))).toEqual(['a']);
    expect(await by(having('SUMMARY', match('lunch', 'negate-condition="yes"')))).toEqual(['b']);
    expect(await by(having('CATEGORIES', match('food')))).toEqual(['b']);
    expect(await by(having('LOCATION'))).toEqual(['b']);
    expect(await by(having('LOCATION', '<c:is-not-defined/>'))).toEqual(['a']);
    const param = (inner: string) => `<c:param-filter name="PARTSTAT">${inner}</c:param-filter>`;
    expect(await by(having('ATTENDEE', match('mailto:bob') + param(match('declined'))))).toEqual(['a']);
    expect(await by(having('ATTENDEE', param(match('accepted'))))).toEqual([]);
    expect(await by(having('ATTENDEE', param('<c:is-not-defined/>')))).toEqual([]);
    expect(
      await by(events(`${range('20260120T000000Z', '20260121T000000Z')}<c:prop-filter name="LOCATION"/>`)),
    ).toEqual(['b']);
    expect(await by(having('DTSTAMP', range('20260115T000000Z', '20260116T000000Z')))).toEqual(['a', 'b']);
    expect(await by(having('DTSTAMP', range('20260116T000000Z')))).toEqual([]);
    expect(await by(events(comp('VALARM', '<c:is-not-defined/>')))).toEqual(['a', 'b']);
    expect(await by(events(comp('VALARM', '')))).toEqual([]);
  });

  it('refuse filters that cannot be answered, in the words of the RFC', async () => {
    const { scene, ann, path } = await scenery(engine);
    await using _ = scene;
    const by = async (filter: string, more?: string) => await found(scene, ann, path, query(filter, more));
    const matching = (attributes: string) =>
      events(`<c:prop-filter name="SUMMARY"><c:text-match ${attributes}>a</c:text-match></c:prop-filter>`);
    expect(await by('')).toEqual(['403 c:valid-filter']);
    expect(await by(`<c:filter>${comp('VEVENT', '')}</c:filter>`)).toEqual(['403 c:valid-filter']);
    expect(await by(events(range('yesterday')))).toEqual(['403 c:valid-filter']);
    expect(await by(events('<c:time-range/>'))).toEqual(['403 c:valid-filter']);
    expect(await by(events(range('20260102T000000Z', '20260101T000000Z')))).toEqual(['403 c:valid-filter']);
    expect(await by(events(comp('VALARM', range('20260101T000000Z'))))).toEqual(['403 c:supported-filter']);
    expect(await by(matching('collation="i;basic"'))).toEqual(['403 c:supported-collation']);
    expect(await by(matching('match-type="like"'))).toEqual(['403 c:valid-filter']);
    const open = '<d:prop><c:calendar-data><c:expand start="20260101T000000Z"/></c:calendar-data></d:prop>';
    expect(await by(events(''), open)).toEqual(['403 c:valid-filter']);
    const unknown = await scene.dav(ann, 'REPORT', path, { body: document('d:version-tree', '') });
    expect([unknown.status, unknown.preconditions]).toEqual([403, ['d:supported-report']]);
    const bookQuery = document('card:addressbook-query', prop('d:getetag'));
    expect((await scene.dav(ann, 'REPORT', path, { body: bookQuery })).preconditions).toEqual(['d:supported-report']);
    expect((await scene.dav(ann, 'REPORT', path)).status).toBe(400);
  });

  it('give instances in place of rules when that is wanted, and only the changes within a range', async () => {
    const { scene, ann, path, put } = await scenery(engine);
    await using _ = scene;
    const zone = ['DTSTART;TZID=Europe/Berlin:20260105T100000', 'DTEND;TZID=Europe/Berlin:20260105T110000'] as const;
    const series = eventText({
      uid: 's',
      start: zone[0],
      end: zone[1],
      lines: ['RRULE:FREQ=WEEKLY;COUNT=30', 'EXDATE;TZID=Europe/Berlin:20260112T100000'],
    });
    const changed = [
      'BEGIN:VEVENT',
      'UID:s',
      'DTSTAMP:20260101T000000Z',
      'RECURRENCE-ID;TZID=Europe/Berlin:20260119T100000',
      'DTSTART;TZID=Europe/Berlin:20260120T150000',
      'DTEND;TZID=Europe/Berlin:20260120T160000',
      'SUMMARY:Moved',
      'END:VEVENT',
      'END:VCALENDAR',
    ];
    await put('s', series.replace('END:VCALENDAR', changed.join('\r\n')));
    const data = (inner: string) => `<d:prop><c:calendar-data>${inner}</c:calendar-data></d:prop>`;
    const read = async (inner: string) => {
      const body = query(events(range('20260101T000000Z', '20260701T000000Z')), data(inner));
      const answer = await scene.dav(ann, 'REPORT', path, { body });
      return answer.responses.get(`${path}s.ics`)?.found['c:calendar-data'] ?? '';
    };
    const expanded = await read('<c:expand start="20260101T000000Z" end="20260201T000000Z"/>');
    expect([...expanded.matchAll(/DTSTART:(\S+)/g)].map(([, at]) => at)).toEqual([
      '20260105T090000Z',
      '20260120T140000Z',
      '20260126T090000Z',
    ]);
    expect([...expanded.matchAll(/RECURRENCE-ID:(\S+)/g)].map(([, at]) => at)).toEqual([
      '20260105T090000Z',
      '20260119T090000Z',
      '20260126T090000Z',
    ]);
    expect(expanded).not.toMatch(/RRULE|EXDATE|VTIMEZONE|TZID/);
    // In summer the clocks show another time of UTC.
    expect(await read('<c:expand start="20260401T000000Z" end="20260407T000000Z"/>')).toContain(
      'DTSTART:20260406T080000Z',
    );
    const inside = await read('<c:limit-recurrence-set start="20260101T000000Z" end="20260201T000000Z"/>');
    expect([inside.includes('RRULE'), inside.includes('Moved')]).toEqual([true, true]);
    const outside = await read('<c:limit-recurrence-set start="20260301T000000Z" end="20260401T000000Z"/>');
    expect([outside.includes('RRULE'), outside.includes('Moved')]).toEqual([true, false]);
  });

  it('give the parts of components that are wanted', async () => {
    const { scene, ann, path, put } = await scenery(engine);
    await using _ = scene;
    const zone = ['DTSTART;TZID=Europe/Berlin:20260105T100000', 'DTEND;TZID=Europe/Berlin:20260105T110000'] as const;
    const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT5M', 'DESCRIPTION:x', 'END:VALARM'];
    await put('a', eventText({ uid: 'a', summary: 'Tea', start: zone[0], end: zone[1], lines: alarm }));
    const read = async (inner: string) => {
      const wanted = `<d:prop><c:calendar-data>${inner}</c:calendar-data></d:prop><d:href>${path}a.ics</d:href>`;
      const answer = await scene.dav(ann, 'REPORT', path, { body: document('c:calendar-multiget', wanted) });
      const text = answer.responses.get(`${path}a.ics`)?.found['c:calendar-data'] ?? '';
      return text.split(/\r?\n/).filter((line) => /^(?:BEGIN|UID|SUMMARY|DTSTART|X-EXAMPLE)/.test(line));
    };
    const part = (name: string, inner = '') => `<c:comp name="${name}">${inner}</c:comp>`;
    const named = (...names: string[]) => names.map((name) => `<c:prop name="${name}"/>`).join('');
    // As in RFC 4791, 7.8.1: a component of which nothing more is said is given whole.
    const some = part('VCALENDAR', named('VERSION') + part('VEVENT', named('UID', 'dtstart')) + part('VTIMEZONE'));
    const [calendar, timezone, ...rest] = await read(some);
    expect([calendar, timezone]).toEqual(['BEGIN:VCALENDAR', 'BEGIN:VTIMEZONE']);
    expect(rest.slice(rest.indexOf('BEGIN:VEVENT')).toSorted()).toEqual([
      'BEGIN:VEVENT',
      'DTSTART;TZID=Europe/Berlin:20260105T100000',
      'UID:a',
    ]);
    const whole = part('VCALENDAR', `<c:allprop/>${part('VEVENT', '<c:allprop/><c:allcomp/>')}`);
    expect(await read(whole)).toEqual(
      expect.arrayContaining(['BEGIN:VALARM', 'SUMMARY:Tea', 'X-EXAMPLE;VALUE=TEXT:kept']),
    );
    const empty = part('VCALENDAR', part('VEVENT', '<c:prop name="SUMMARY" novalue="yes"/>'));
    expect(await read(empty)).toEqual(['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'SUMMARY:']);
  });

  it('find nothing by what their reader does not see', async () => {
    const { scene, ann, id, path, put } = await scenery(engine);
    await using _ = scene;
    const { bob } = scene;
    await put('p', eventText({ uid: 'p@x', summary: 'Surprise party', lines: ['CLASS:PRIVATE', 'LOCATION:Cellar'] }));
    await put('c', eventText({ uid: 'c@x', summary: 'Talk', lines: ['CLASS:CONFIDENTIAL', 'LOCATION:Cellar'] }));
    await scene.share(ann, id, bob, 'viewer');
    const shared = path.replace(ann.memberId, bob.memberId);
    const having = (name: string, value: string) =>
      query(events(`<c:prop-filter name="${name}"><c:text-match>${value}</c:text-match></c:prop-filter>`));
    expect(await found(scene, ann, path, having('LOCATION', 'cellar'))).toEqual(['c', 'p']);
    expect(await found(scene, bob, shared, having('LOCATION', 'cellar'))).toEqual([]);
    expect(await found(scene, bob, shared, having('SUMMARY', 'party'))).toEqual([]);
    expect(await found(scene, bob, shared, having('UID', 'p@x'))).toEqual([]);
    expect(await found(scene, bob, shared, having('SUMMARY', 'busy'))).toEqual(['p']);
    expect(await found(scene, bob, shared, having('SUMMARY', 'talk'))).toEqual(['c']);
    const whole = await scene.dav(bob, 'REPORT', shared, {
      body: query(events(range('20260101T000000Z', '20260201T000000Z')), prop('c:calendar-data', 'd:getetag')),
    });
    expect(whole.text).not.toMatch(/party|Cellar|p@x/);
  });

  it('read several by their addresses, and nothing that lies elsewhere', async () => {
    const { scene, ann, path, put } = await scenery(engine);
    await using _ = scene;
    const { bob } = scene;
    await put('a', eventText({ uid: 'a' }));
    await put('b ü', eventText({ uid: 'b' })).catch(() => undefined);
    await scene.dav(ann, 'PUT', `${path}b%20%C3%BC.ics`, { body: eventText({ uid: 'b' }) });
    const { id: other } = await scene.calendarOf(bob);
    await scene.dav(bob, 'PUT', `/dav/calendars/${bob.memberId}/${other}/x.ics`, { body: eventText({ uid: 'x' }) });
    const multiget = (...hrefs: string[]) =>
      document(
        'c:calendar-multiget',
        prop('d:getetag', 'c:calendar-data') + hrefs.map((one) => `<d:href>${one}</d:href>`).join(''),
      );
    const hrefs = [
      `${path}a.ics`,
      `https://proxy.example${path}b%20%C3%BC.ics`,
      `${path}none.ics`,
      `/dav/calendars/${bob.memberId}/${other}/x.ics`,
      `/dav/calendars/${ann.memberId}/${other}/a.ics`,
      `${path}../${other}/x.ics`,
      '/etc/passwd',
    ];
    const answer = await scene.dav(ann, 'REPORT', path, { body: multiget(...hrefs) });
    expect(
      [...answer.responses].map(([href, { status, found: there }]) => [
        href,
        status ?? there['c:calendar-data']?.length,
      ]),
    ).toEqual([
      [`${path}a.ics`, eventText({ uid: 'a' }).length],
      [`${path}b%20%C3%BC.ics`, eventText({ uid: 'b' }).length],
      [`${path}none.ics`, 404],
      [`/dav/calendars/${bob.memberId}/${other}/x.ics`, 404],
      [`/dav/calendars/${ann.memberId}/${other}/a.ics`, 404],
      [`${path}../${other}/x.ics`, 404],
      ['/etc/passwd', 404],
    ]);
    expect(answer.responses.get(`${path}a.ics`)?.found['d:getetag']).toMatch(/^"[0-9a-f]{32}"$/);
    const many = (count: number) => multiget(...Array.from({ length: count }, (__, index) => `${path}${index}.ics`));
    expect((await scene.dav(ann, 'REPORT', path, { body: many(5_000) })).responses.size).toBe(5_000);
    const tooMany = await scene.dav(ann, 'REPORT', path, { body: many(5_001) });
    expect([tooMany.status, tooMany.preconditions]).toEqual([403, ['d:number-of-matches-within-limits']]);
    const tooLarge = await scene.dav(ann, 'REPORT', path, { body: `${many(10)}${' '.repeat(1024 ** 2)}` });
    expect([tooLarge.status, tooLarge.headers.get('connection')]).toEqual([413, 'close']);
  });

  it('tell when time is taken, and nothing else', async () => {
    const { scene, ann, id, path, put } = await scenery(engine);
    await using _ = scene;
    const { bob, cleo } = scene;
    await put('a', eventText({ uid: 'a', summary: 'Secret', lines: ['RRULE:FREQ=DAILY;COUNT=3', 'CLASS:PRIVATE'] }));
    await put('b', eventText({ uid: 'b', start: 'DTSTART:20260120T103000Z', end: 'DTEND:20260120T120000Z' }));
    await put(
      't',
      eventText({
        uid: 't',
        start: 'DTSTART:20260121T150000Z',
        end: 'DTEND:20260121T160000Z',
        lines: ['STATUS:TENTATIVE'],
      }),
    );
    await put(
      'free',
      eventText({
        uid: 'free',
        start: 'DTSTART:20260122T150000Z',
        end: 'DTEND:20260122T160000Z',
        lines: ['TRANSP:TRANSPARENT'],
      }),
    );
    const body = document('c:free-busy-query', range('20260120T000000Z', '20260122T103000Z'));
    const answer = await scene.dav(ann, 'REPORT', path, { headers: depth('1'), body });
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    const busyIn = (text: string) => [...text.matchAll(/FREEBUSY;FBTYPE=(\S+)/g)].map(([, line]) => line);
    const busy = [
      'BUSY:20260120T100000Z/20260120T120000Z',
      'BUSY:20260121T100000Z/20260121T110000Z',
      'BUSY-TENTATIVE:20260121T150000Z/20260121T160000Z',
      'BUSY:20260122T100000Z/20260122T103000Z',
    ];
    expect(busyIn(answer.text)).toEqual(busy);
    expect(answer.text).not.toMatch(/Secret|UID:a/);

    await scene.share(ann, id, bob, 'freebusy');
    const asked = (attendees: string[]) =>
      [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'PRODID:x',
        'METHOD:REQUEST',
        'BEGIN:VFREEBUSY',
        'UID:fb1',
        'DTSTAMP:20260101T000000Z',
        'DTSTART:20260120T000000Z',
        'DTEND:20260122T103000Z',
        'ORGANIZER:mailto:bob@home.example',
        ...attendees.map((one) => `ATTENDEE:${one}`),
        'END:VFREEBUSY',
        'END:VCALENDAR',
        '',
      ].join('\r\n');
    const outbox = async (who: HouseMember, text: string, path2 = `/dav/calendars/${who.memberId}/outbox/`) =>
      await scene.dav(who, 'POST', path2, { headers: { 'content-type': 'text/calendar' }, body: text });
    const attendees = [
      `/dav/principals/${ann.memberId}/`,
      `/dav/principals/${cleo.memberId}/`,
      '/dav/principals/000000000000000000000001/',
      'mailto:stranger@elsewhere.example',
    ];
    const { status, text } = await outbox(bob, asked(attendees));
    expect(status).toBe(200);
    expect([...text.matchAll(/<c:request-status>(.*?)<\/c:request-status>/g)].map(([, said]) => said)).toEqual([
      '2.0;Success',
      '3.7;Invalid calendar user',
      '3.7;Invalid calendar user',
      '3.7;Invalid calendar user',
    ]);
    expect(busyIn(text.replaceAll('&#13;', ''))).toEqual(busy);
    expect(text).toContain('METHOD:REPLY');
    expect(text).not.toContain('Secret');
    const refusals = [
      [asked(attendees).replace('METHOD:REQUEST\r\n', ''), 403],
      [asked(attendees).replaceAll('VFREEBUSY', 'VEVENT'), 403],
      [asked(attendees).replace('DTEND:2026', 'DTEND:2025'), 400],
      [asked(attendees).replace('DTEND:2026', 'DTEND:2126'), 400],
      [asked(Array.from({ length: 51 }, (__, index) => `mailto:${index}@x.test`)), 403],
      ['x', 403],
    ] as const;
    for (const [wrong, code] of refusals) expect((await outbox(bob, wrong)).status).toBe(code);
    expect((await outbox(bob, asked(attendees), `/dav/calendars/${bob.memberId}/`)).status).toBe(405);
  });
});
