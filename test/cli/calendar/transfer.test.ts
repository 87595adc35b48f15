import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Create from '../../../commands/calendar/create.ts';
import Export from '../../../commands/calendar/export.ts';
import Import from '../../../commands/calendar/import.ts';
import { calendarLimits } from '../../../src/contract/calendar/limits.ts';
import { calendarOf, contentOf, eventOf, many } from '../../services/calendar/calendar-files.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe.each(fewWays)('files of calendars from a terminal, by %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => {
    people = await openMailPeople(way, ['ada', 'bob']);
    for (const name of ['Work', 'Copy', 'Large']) await people.run('ada', Create, [name]);
  });
  afterAll(async () => await people[Symbol.asyncDispose]());

  it('are imported; what is wrong with one event is named with its line', async () => {
    const bad = ['BEGIN:VEVENT', 'UID:bad\u001b[31m', 'DTSTART:nonsense', 'END:VEVENT'].join('\n');
    const file = await people.home.file('two.ics', calendarOf(eventOf('one', 'SUMMARY:One'), bad, eventOf('two')));
    const first = await people.run('ada', Import, [file, '--calendar', 'work']);
    expect(first.code).toBe(2);
    expect(first.stdout).toMatch(/^2 events imported, 1 failed\.\nline 10 \(bad[ -~]*\): [ -~]+\n$/);
    const again = await people.run('ada', Import, ['-', '--calendar', 'Work', '--json'], {
      stdin: calendarOf(eventOf('one', 'SUMMARY:Other')),
    });
    expect([again.code, again.json()]).toMatchObject([0, { result: { imported: 0, skipped: 1, duplicates: ['one'] } }]);
    const over = await people.run('ada', Import, ['-', '--calendar', 'Work', '--duplicates', 'overwrite'], {
      stdin: calendarOf(eventOf('one', 'SUMMARY:Other')),
    });
    expect([over.code, over.stdout]).toEqual([0, '0 events imported, 1 overwritten.\n']);
    const none = await people.run('ada', Import, ['-', '--calendar', 'Work'], { stdin: 'nothing' });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('BEGIN:VCALENDAR')]);
    const nobody = await people.run('bob', Import, [file, '--calendar', 'Work']);
    expect([nobody.code, nobody.stderr]).toEqual([6, expect.stringContaining('conclave calendar list')]);
    const missing = await people.run('ada', Import, ['missing.ics', '--calendar', 'Work']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('missing.ics')]);
  });

  it('are exported in all formats, for nobody else to read, and replace no other file', async () => {
    const file = join(people.home.folder, 'work.ics');
    const first = await people.run('ada', Export, ['Work', '--output', file]);
    expect([first.code, first.stdout]).toEqual([0, `Wrote Work to ${file}.\n`]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('SUMMARY:Other\r\n');
    await writeFile(file, 'mine');
    const kept = await people.run('ada', Export, ['Work', '--output', file]);
    expect([kept.code, kept.stderr, await readFile(file, 'utf8')]).toEqual([
      7,
      expect.stringContaining('exists already'),
      'mine',
    ]);
    expect((await people.run('ada', Export, ['Work', '--output', file, '--force'])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await people.run('ada', Export, ['Work'])).stdout).toBe(text);
    expect((await people.run('ada', Export, ['Work', '--output', '-'])).stdout).toBe(text);
    expect((await people.run('ada', Export, ['Work', '--json'])).json()).toMatchObject({
      format: 'ics',
      content: text,
    });
    const native = JSON.parse((await people.run('ada', Export, ['Work', '--format', 'json'])).stdout);
    expect(native).toMatchObject({ format: 'native', calendar: { displayName: 'Work' } });
    expect(JSON.parse((await people.run('ada', Export, ['Work', '--format', 'jcal'])).stdout)[0]).toBe('vcalendar');
    const group = JSON.parse((await people.run('ada', Export, ['Work', '--format', 'jscalendar'])).stdout);
    expect(group).toMatchObject({ '@type': 'Group', title: 'Work' });
    await people.run('ada', Import, [file, '--calendar', 'Copy']);
    expect(contentOf((await people.run('ada', Export, ['Copy'])).stdout)).toEqual(contentOf(text));
  });

  it('that are large are waited for, where a server reads them', async () => {
    const count = calendarLimits.importAtOnce + 1;
    const file = await people.home.file('large.ics', many(count));
    const { code, stdout } = await people.run('ada', Import, [file, '--calendar', 'Large', '--json']);
    const { import: read, result } = JSON.parse(stdout);
    const ended = way !== 'process';
    expect(code).toBe(0);
    expect(read).toMatchObject({ total: count, done: ended ? count : 0, state: ended ? 'done' : 'pending' });
    expect(result?.imported).toBe(ended ? count : undefined);
  });
});
