import { readFile } from 'node:fs/promises';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calendar } from '../../../src/contract/calendar.ts';
import type { RawInputOf } from '../../../src/contract/operation.ts';
import type { Holiday } from '../../../src/contract/calendar/holidays.ts';
import { openHouse, type House } from '../../support/house.ts';

const { holidayCatalog } = calendar;
const config = { social: { rss: false, publicUrl: 'https://home.example' } };
const folder = new URL('../../../src/services/calendar/holidays/', import.meta.url);

describe('the catalogue of holidays', () => {
  let house: House;
  beforeAll(async () => void (house = await openHouse('sqljs', { config })));
  afterAll(async () => await house[Symbol.asyncDispose]());

  const ask = async (input: RawInputOf<typeof holidayCatalog>) => await house.perform(holidayCatalog, input);
  const holidaysOf = async (country: string, year: number): Promise<Holiday[]> => {
    const { status, body } = await ask({ country, year });
    expect(status).toBe(200);
    return body.holidays as Holiday[];
  };
  const named = async (country: string, year: number) =>
    (await holidaysOf(country, year)).map(({ date, name }) => `${date} ${name}`);
  const ics = async (file: string, headers: Record<string, string> = {}) =>
    await house.fetch(new Request(`http://house.test/api/cal/holiday-catalog/${file}`, { headers }));

  it('lists countries, each before its regions, for anybody and for caches', async () => {
    const { status, body, headers } = await ask({});
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=86400');
    expect(Object.keys(body)).toEqual(['message', 'catalog']);
    const ids: string[] = body.catalog.map(({ id }: { id: string }) => id);
    expect(ids.length).toBeGreaterThan(600);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining(['de', 'de-by', 'de-by-a', 'us', 'us-ca', 'ck-palmerston', 'nz-can-timaru']),
    );
    expect(ids.indexOf('de')).toBeLessThan(ids.indexOf('de-by'));
    expect(body.catalog[ids.indexOf('de-by')]).toEqual({
      id: 'de-by',
      displayName: 'Bayern, Germany',
      description: 'Public holidays in Bayern, Germany',
      region: 'DE-BY',
      category: 'public',
      icsUrl: 'https://home.example/api/cal/holiday-catalog/de-by.ics',
    });
    expect(body.catalog[ids.indexOf('de')].description).toBe('Public holidays in Germany (Deutschland)');
    for (const { region, icsUrl } of body.catalog)
      expect(icsUrl).toBe(`https://home.example/api/cal/holiday-catalog/${region.toLowerCase()}.ics`);
  });

  it('of a country has it and its regions alone, and its holidays of this year', async () => {
    const { body } = await ask({ country: 'BE' });
    const ids: string[] = body.catalog.map(({ id }: { id: string }) => id);
    expect(ids.every((id, index) => (index === 0 ? id === 'be' : id.startsWith('be-')))).toBe(true);
    expect(body.holidays).toEqual(await holidaysOf('be', 2026));
    expect(body.holidays.at(-1)).toEqual({
      date: '2026-12-25',
      name: 'Christmas Day',
      localName: 'Noël',
      type: 'public',
    });
  });

  it('knows the days of a country and what its regions have in addition', async () => {
    expect(await named('de', 2026)).toEqual([
      "2026-01-01 New Year's Day",
      '2026-04-03 Good Friday',
      '2026-04-06 Easter Monday',
      '2026-05-01 Labour Day',
      '2026-05-14 Ascension Day',
      '2026-05-25 Whit Monday',
      '2026-10-03 National Holiday',
      '2026-12-25 Christmas Day',
      '2026-12-26 Boxing Day',
    ]);
    expect(await named('de-by', 2027)).toEqual(
      expect.arrayContaining(['2027-03-29 Easter Monday', '2027-01-06 Epiphany']),
    );
    expect(await named('de-be', 2027)).not.toContain('2027-01-06 Epiphany');
    expect(await named('de-be', 2027)).toContain("2027-03-08 International Women's Day");
    expect(await named('us', 2026)).toEqual(
      expect.arrayContaining(['2026-07-04 Independence Day', '2026-11-26 Thanksgiving Day']),
    );
    expect(await named('gb-sct', 2026)).toContain('2026-11-30 St Andrew’s Day');
  });

  it('has days of several, of a part, and of few, with the names that they have there', async () => {
    expect(await holidaysOf('sz', 2026)).toContainEqual(
      expect.objectContaining({ date: '2026-12-28', endDate: '2027-01-03', type: 'public' }),
    );
    expect(await holidaysOf('is', 2026)).toContainEqual({
      date: '2026-12-24',
      name: 'Christmas Eve',
      localName: 'Aðfangadagur',
      type: 'partial',
    });
    // The lunar year ends twice in 2033.
    const eids = (await holidaysOf('sa', 2033)).filter(({ name }) => name.includes('Eid al-Fitr'));
    expect(eids.map(({ date }) => date)).toEqual(['2033-01-02', '2033-12-22']);
    expect(eids[1]).toMatchObject({ endDate: '2033-12-26', localName: 'عيد الفطر' });
    const only = (await holidaysOf('de-th-uh', 2026)).find(({ note }) => note !== undefined);
    expect(only).toMatchObject({
      date: '2026-06-04',
      localName: 'Fronleichnam',
      note: expect.stringContaining('Anrode'),
    });
  });

  it('refuses what it does not know, and says which years it does', async () => {
    const refused = async (input: object) => {
      const { status, body } = await ask(input);
      return `${status} ${body.error?.code}: ${body.error?.message}`;
    };
    const range = '400 VALIDATION_ERROR: year: must be from 2025 to 2034, the years whose holidays are known';
    expect(await refused({ country: 'de', year: 2024 })).toBe(range);
    expect(await refused({ country: 'de', year: 2035 })).toBe(range);
    expect(await refused({ country: 'de', year: 1800 })).toMatch(/^400 VALIDATION_ERROR: year: must be a whole number/);
    expect(await refused({ year: 2026 })).toBe('400 VALIDATION_ERROR: country: is needed with a year');
    expect(await refused({ country: 'zz' })).toMatch(/^404 NOT_FOUND:/);
    expect(await refused({ country: 'de-zz' })).toMatch(/^404 NOT_FOUND:/);
    for (const country of ['germany', '', 'd', 'de-', '../de', 'de-by-a-b', `de-${'b'.repeat(20)}`])
      expect(await refused({ country })).toMatch(/^400 VALIDATION_ERROR: country: /);
    const codes = await Promise.all(
      ['zz.ics', 'de', 'germany.ics', 'de.ics.ics'].map(async (file) => (await ics(file)).status),
    );
    expect(codes).toEqual([404, 400, 400, 400]);
  });

  it.each(['de-by', 'de-sn-bz', 'sa', 'sz', 'in', 'is'])('has the same days of %s as iCalendar', async (id) => {
    const answer = await ics(`${id.toUpperCase()}.ics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.ics"`);
    const text = await answer.text();
    expect(text).toMatch(/^(?:[^\r\n]+\r\n)+$/);
    expect(Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    const root = new ICAL.Component(ICAL.parse(text) as unknown[]);
    const { body } = await ask({ country: id });
    expect(root.getFirstPropertyValue('x-wr-calname')).toBe(
      `Holidays in ${body.catalog[0].displayName.replaceAll(', ', ' – ')}`,
    );
    expect(String(root.getFirstPropertyValue('refresh-interval'))).toBe('P7D');
    const components = root.getAllSubcomponents('vevent');
    const uids = components.map((component) => component.getFirstPropertyValue('uid'));
    expect(new Set(uids).size).toBe(components.length);
    const events = components.map((component) => {
      expect(component.getFirstPropertyValue('transp')).toBe('TRANSPARENT');
      const event = new ICAL.Event(component);
      expect([event.startDate.isDate, event.endDate.isDate]).toEqual([true, true]);
      return [event.startDate.toString(), event.duration.toSeconds() / 86_400, event.summary, event.description ?? ''];
    });
    const years = Array.from({ length: 10 }, (_, index) => 2025 + index);
    const known = (await Promise.all(years.map(async (year) => await holidaysOf(id, year)))).flat();
    expect(events).toEqual(
      known.map(({ date, endDate, name, localName, type, note }) => [
        date,
        endDate === undefined ? 1 : (Date.parse(endDate) - Date.parse(date)) / 86_400_000,
        type === 'partial' ? `${localName} (part of the day)` : localName,
        [...(name === localName ? [] : [name]), ...(note === undefined ? [] : [note])].join('\n'),
      ]),
    );
  });

  it('answers a reader that has it with nothing, as long as it is the same', async () => {
    const first = await ics('de.ics');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('public, max-age=86400');
    house.clock.advance(86_400_000);
    expect((await ics('de.ics')).headers.get('etag')).toBe(etag);
    const again = await ics('de.ics', { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ics('de-by.ics', { 'if-none-match': etag })).status).toBe(200);
  });
});

/** As scripts/holidays.mjs wrote it. */
interface Written {
  readonly made: string;
  readonly years: readonly [number, number];
  readonly countries: Readonly<
    Record<
      string,
      {
        readonly name: string;
        readonly holidays: readonly (readonly [string, string | 0, string, number?, string?])[];
        readonly own: readonly number[];
        readonly regions: Readonly<Record<string, readonly [string, readonly number[]]>>;
      }
    >
  >;
}

describe('the data of holidays', async () => {
  const text = await readFile(new URL('data.json', folder), 'utf8');
  const { made, years, countries } = JSON.parse(text) as Written;
  const [first, last] = years;

  it('is small, of ten years, and has the licence that it is under', async () => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 ** 2);
    expect([Number(made.slice(0, 4)) - first, last - first]).toEqual([1, 9]);
    const licence = await readFile(new URL('LICENSE', folder), 'utf8');
    expect(licence).toContain('CC BY-SA 3.0');
    expect(licence).toContain('https://de.wikipedia.org/wiki/Feiertage_in_Deutschland');
  });

  it('has each holiday of a country once, and each region has each of them once', () => {
    for (const [id, { holidays, own, regions }] of Object.entries(countries)) {
      expect(new Set(holidays.map((row) => JSON.stringify(row))).size, id).toBe(holidays.length);
      const lists = [own, ...Object.values(regions).map(([, places]) => places)];
      for (const places of lists) expect(new Set(places).size, id).toBe(places.length);
      expect(new Set(lists.flat()), id).toEqual(new Set(holidays.keys()));
    }
  });

  it('has no day that does not exist, and none twice under a name', () => {
    const wrong: string[] = [];
    for (const [id, { holidays, own, regions }] of Object.entries(countries)) {
      const dated = holidays.map(([name, , days]) => {
        const parts = days.includes(',') ? days.split(',') : Array.from({ length: last - first + 1 }, () => days);
        if (parts.length !== last - first + 1) wrong.push(`${id} ${name}: ${days}`);
        return parts.flatMap((part, index) =>
          Array.from(part.matchAll(/../g), ([[month = '', day = '']]) => {
            const at = new Date(Date.UTC(first + index, Number.parseInt(month, 36) - 1, Number.parseInt(day, 36)));
            if (at.getUTCMonth() + 1 !== Number.parseInt(month, 36)) wrong.push(`${id} ${name}: ${part}`);
            return `${at.toISOString().slice(0, 10)} ${name}`;
          }),
        );
      });
      for (const places of [own, ...Object.values(regions).map(([, inner]) => inner)]) {
        const all = places.flatMap((place) => dated[place] ?? []);
        if (new Set(all).size < all.length)
          wrong.push(`${id}: ${all.filter((one, at) => all.indexOf(one) !== at).join()}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
