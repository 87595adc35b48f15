import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Holidays from '../../../commands/calendar/holidays.ts';
import { fewWays, openHome, type Home } from '../home.ts';

describe.each(fewWays)('holidays from a terminal, by the way %s', (way) => {
  let home: Home;
  beforeAll(async () => void (home = await openHome(way)));
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('are listed by the id or the name of a country or region, without a sign-in', async () => {
    const lines = (await home.run(Holidays, [])).stdout.split('\n');
    expect(lines).toContain('de\tGermany');
    expect(lines).toContain('de-by\tBayern, Germany');
    const { code, stdout } = await home.run(Holidays, ['de-by', '--year', '2027']);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toContain('2027-03-29\t2027-03-29\tEaster Monday\tOstermontag\t');
    for (const name of ['DE-BY', 'bayern', 'Bayern, Germany'])
      expect((await home.run(Holidays, [name, '--year', '2027'])).stdout).toBe(stdout);
    // A state of that name is elsewhere.
    expect((await home.run(Holidays, ['georgia', '--json'])).json().region.id).toBe('ge');
    const days = await home.run(Holidays, ['sz', '--year', '2026']);
    expect(days.stdout).toMatch(/^2026-12-28\t2027-01-02\t/m);
    expect((await home.run(Holidays, ['cn', '--year', '2026'])).stdout).toMatch(
      /^2026-03-08\t.*\tpart of the day; Women$/m,
    );
  });

  it('are JSON on request', async () => {
    const { catalog } = (await home.run(Holidays, ['--json'])).json();
    expect(catalog).toContainEqual(expect.objectContaining({ id: 'us', displayName: 'United States of America' }));
    const found = (await home.run(Holidays, ['us', '--year', '2026', '--json'])).json();
    expect(Object.keys(found)).toEqual(['region', 'holidays']);
    expect(found.region).toEqual(catalog.find(({ id }: { id: string }) => id === 'us'));
    expect(found.holidays).toContainEqual(expect.objectContaining({ date: '2026-11-26', name: 'Thanksgiving Day' }));
  });

  it('of a place that is not known are refused with those that are similar, or that have the name', async () => {
    const refused = async (...argv: string[]) => {
      const { code, stdout, stderr } = await home.run(Holidays, argv);
      expect(stdout).toBe('');
      return `${code} ${stderr.replaceAll(/\s+/g, ' ')}`;
    };
    expect(await refused('Germny')).toMatch(
      /^6 .*There is no country or region "Germny". Did you mean: de \(Germany\)\?/,
    );
    expect(await refused('xxxxxxxxxx')).toMatch(/^6 .*run: conclave calendar holidays/);
    expect(await refused('Punjab')).toMatch(/^7 .*"Punjab" matches more than one: .*in-pb.*pk-pb/);
    expect(await refused('de', '--year', '1999')).toMatch(/^2 .*year: must be from 2025 to 2034/);
    expect(await refused('--year', '2026')).toMatch(/^2 .*country: is needed with a year/);
  });
});
