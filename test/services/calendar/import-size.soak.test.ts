import { describe, expect, it } from 'vitest';
import { exporting, type CalendarImport } from '../../../src/contract/calendar/export.ts';
import { services } from '../../../src/node/services.ts';
import { until } from '../../support/real-time.ts';
import { engines } from '../../support/stores.ts';
import { countIn, fetched, many, root, sent } from './calendar-files.ts';
import { openCalendars } from './calendar-scene.ts';

const EVENTS = 50_000;
const MEBIBYTE = 1024 ** 2;
/** Of what one process holds more than before, with what its engine and its tests take. */
const MOST_MEMORY = 500 * MEBIBYTE;

describe.each(engines)('large files of calendars on %s', (engine) => {
  it('are read with progress, and written, without being held in memory as a whole', async () => {
    await using scene = await openCalendars(engine);
    const { ann, house } = scene;
    const { id } = await scene.calendarOf(ann);
    const before = process.memoryUsage.rss();
    let most = 0;
    const look = (): void => void (most = Math.max(most, process.memoryUsage.rss() - before));
    const { status, body } = await sent(scene, ann, id, many(EVENTS, `DESCRIPTION:${'words '.repeat(30)}`));
    expect([status, body.import]).toMatchObject([202, { state: 'pending', total: EVENTS, done: 0 }]);
    const show = async (): Promise<CalendarImport> =>
      (await scene.done(exporting.showImport, ann, { calendarId: id, id: body.import.id })).import;
    const seen: number[] = [];
    const handler = await services.find(({ name }) => name === 'calendar')!.jobs!['calendar-import']!(house.ctx);
    const job = { attempt: 1, signal: new AbortController().signal } as Parameters<typeof handler>[1];
    let ended = false;
    const run = handler({ importId: body.import.id }, job).finally(() => void (ended = true));
    // Each tenth of it is looked at once, as a person does who waits.
    await until(async () => {
      const [row] = await house.ctx.db.selectFrom('calendar_imports').select('done').execute();
      const tenth = Math.floor((10 * (row?.done ?? 0)) / EVENTS);
      if (!seen.includes(tenth)) seen.push(tenth);
      look();
      return ended;
    });
    await run;
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect(await show()).toMatchObject({ state: 'done', done: EVENTS, result: { imported: EVENTS, failed: 0 } });
    expect(await countIn(scene, id)).toBe(EVENTS);
    let count = 0;
    let bytes = 0;
    const reply = await fetched(scene, ann, `${root(id)}/ics`);
    for await (const piece of reply.body!) {
      const text = Buffer.from(piece).toString('latin1');
      count += text.match(/^BEGIN:VEVENT/gm)?.length ?? 0;
      bytes += piece.length;
      look();
    }
    // A line may be cut in two by a piece.
    expect(count).toBeGreaterThan(EVENTS - bytes / 10_000);
    expect(count).toBeLessThanOrEqual(EVENTS);
    expect(most).toBeLessThan(MOST_MEMORY);
  });
});
