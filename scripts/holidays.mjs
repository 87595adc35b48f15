// Writes the data of the holiday catalogue: src/services/calendar/holidays/data.json and the licence beside it. Run it once a year, and look at
// what has changed. date-holidays is installed beside the project, never into it: it has 45 MB and computes what this writes down.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const VERSION = '3.37.0';
/** From last year on. */
const YEARS = 10;
const MOST_BYTES = 1024 ** 2;

const target = fileURLToPath(new URL('../src/services/calendar/holidays/', import.meta.url));
const today = new Date();
const first = today.getUTCFullYear() - 1;
const years = Array.from({ length: YEARS }, (_, index) => first + index);

/** One line for each country, so that a new version shows where something has changed. The form: src/services/calendar/holidays/data.ts. */
function written(countries) {
  const head = {
    source: `date-holidays ${VERSION}`,
    license: 'CC BY-SA 3.0, http://creativecommons.org/licenses/by-sa/3.0/; its sources are in LICENSE',
    made: today.toISOString().slice(0, 10),
    years: [years[0], years.at(-1)],
  };
  const lines = countries.map(([id, country]) => `${JSON.stringify(id)}:${JSON.stringify(country)}`);
  return `${JSON.stringify(head).slice(0, -1)},"countries":{\n${lines.join(',\n')}\n}}\n`;
}

function collect(Holidays) {
  const all = new Holidays();
  const [names, localNames] = [all.getCountries('en'), all.getCountries()];
  return Object.keys(names)
    .toSorted()
    .map((country) => {
      const table = new Table();
      const own = table.add(holidaysOf(Holidays, [country]));
      const regions = regionsOf(all, country).map(({ path, name }) => [
        path.slice(1).join('-').toLowerCase(),
        [name, table.add(holidaysOf(Holidays, path))],
      ]);
      if (new Set(regions.map(([id]) => id)).size < regions.length)
        throw new Error(`${country}: two regions of one id`);
      return [
        country.toLowerCase(),
        {
          name: names[country],
          local: localNames[country],
          holidays: table.rows,
          own,
          regions: Object.fromEntries(regions),
        },
      ];
    })
    .filter(([, { holidays }]) => holidays.length > 0);
}

/** States, and the regions in them, which have the name of their state behind their own. */
function regionsOf(all, country) {
  const found = [];
  for (const [state, name] of Object.entries(all.getStates(country, 'en') ?? {})) {
    found.push({ path: [country, state], name });
    for (const [region, inner] of Object.entries(all.getRegions(country, state, 'en') ?? {}))
      found.push({ path: [country, state, region], name: `${inner}, ${name}` });
  }
  return found;
}

/** What regions of a country have alike stands in it once. */
class Table {
  rows = [];
  #places = new Map();

  /** @returns the places of the holidays */
  add(holidays) {
    return holidays
      .map((row) => {
        const key = JSON.stringify(row);
        if (!this.#places.has(key)) this.#places.set(key, this.rows.push(row) - 1);
        return this.#places.get(key);
      })
      .toSorted((one, other) => one - other);
  }
}

/** The public holidays of a region: `[name, local name, days, length?, note?]`. */
function holidaysOf(Holidays, path) {
  // One that was asked for a language answers in it from then on.
  const [inLocal, inEnglish] = [0, 1].map(() => new Holidays(...path, { types: ['public'] }));
  const found = new Map();
  for (const [index, year] of years.entries()) {
    const local = inLocal.getHolidays(year);
    const english = inEnglish.getHolidays(year, 'en');
    for (const [place, holiday] of english.entries()) {
      const other = local[place];
      if (other.date !== holiday.date || other.rule !== holiday.rule)
        throw new Error(`${path}: ${year} is not in order`);
      const [name, localName] = [tidy(holiday.name), tidy(other.name)];
      const note = holiday.note === undefined ? undefined : tidy(holiday.note);
      const length = lengthOf(holiday);
      const key = JSON.stringify([name, localName, length, note]);
      const entry = found.get(key) ?? { name, localName, length, note, days: years.map(() => new Set()) };
      entry.days[index].add(dayOf(holiday.date, year));
      found.set(key, entry);
    }
  }
  const dated = withoutDoubles([...found.values()]);
  return dated.map(({ name, localName, length, note, days }) => {
    const row = [name, localName === name ? 0 : localName, daysText(days)];
    if (length !== 1 || note !== undefined) row.push(length);
    if (note !== undefined) row.push(note);
    return row;
  });
}

/** Of two that have the same name on the same day the longer one stays. */
function withoutDoubles(entries) {
  const seen = new Set();
  for (const { name, days } of entries.toSorted((one, other) => other.length - one.length))
    for (const [index, each] of days.entries())
      for (const day of each) {
        const key = `${index} ${day} ${name}`;
        if (seen.has(key)) each.delete(day);
        seen.add(key);
      }
  return entries.filter(({ days }) => days.some(({ size }) => size > 0));
}

/** Month and day, each as one digit of base 36. */
function dayOf(date, year) {
  const [, of, month, day] = /^(\d{4})-(\d{2})-(\d{2}) /.exec(date);
  if (Number(of) !== year) throw new Error(`${date} is not in ${year}`);
  return Number(month).toString(36) + Number(day).toString(36);
}

/** The days of each year, with commas between the years; once if they are the same in each. */
function daysText(days) {
  const texts = days.map((each) => [...each].toSorted().join(''));
  return texts.every((text) => text === texts[0]) ? texts[0] : texts.join(',');
}

/** In days; 0 is a part of a day. Clocks that change make a day an hour shorter, and Ramadan's ends begin on the evening before. */
function lengthOf({ start, end }) {
  const days = (end - start) / 86_400_000;
  return days < 0.9 ? 0 : Math.max(1, Math.floor(days + 0.1));
}

function tidy(text) {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}

const folder = await mkdtemp(join(tmpdir(), 'conclave-holidays-'));
try {
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  await promisify(execFile)('npm', [...words, `date-holidays@${VERSION}`]);
  const Holidays = createRequire(join(folder, 'index.js'))('date-holidays');
  const text = written(collect(Holidays));
  if (Buffer.byteLength(text) > MOST_BYTES) throw new Error(`The data has more than ${MOST_BYTES} bytes.`);
  await writeFile(join(target, 'data.json'), text);
  await copyFile(join(folder, 'node_modules/date-holidays/LICENSE'), join(target, 'LICENSE'));
} finally {
  await rm(folder, { recursive: true });
}
