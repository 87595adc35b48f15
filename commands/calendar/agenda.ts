import { Flags } from '@oclif/core';
import { dayParts, drawAgenda } from '../../src/cli/calendar/agenda-list.ts';
import { collectEvents } from '../../src/cli/calendar/collect-events.ts';
import { calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { readDay } from '../../src/cli/calendar/plain-words.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { day, dayText, dayWords, startOfDay } from '../../src/cli/calendar/wall-clock.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';

export default class Agenda extends ApiCommand {
  static override summary = 'Show the events of the next days';
  static override examples = ['<%= config.bin %> calendar agenda', '<%= config.bin %> calendar agenda --from Monday'];
  static override flags = {
    from: Flags.string({ description: 'first day: Monday, 12 May, 2026-05-12', helpValue: 'DAY', default: 'today' }),
    days: Flags.integer({ description: 'how many days', helpValue: 'N', default: 7, min: 1, max: 366 }),
    calendar: Flags.string({
      description: 'name or id; may be repeated; default: all that you can see',
      helpValue: 'CALENDAR',
      multiple: true,
      multipleNonGreedy: true,
    }),
    zone: Flags.string({ description: 'time zone in which times are shown', helpValue: 'ZONE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Agenda);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const now = Date.now();
    const from = await readDay(flags.from, { now, clock });
    const span = { from, to: from + flags.days * day };
    const range = { start: dayText(span.from), end: dayText(span.to), timezone: clock.zone };
    const calendarId: string[] = [];
    for (const name of flags.calendar ?? []) calendarId.push((await calendarNamed(client, name)).id);
    const events = await collectEvents(client, { ...range, ...(calendarId.length > 0 && { calendarId }) });
    const parts = dayParts(events, span, clock);
    if (parts.length === 0 && !this.wantsJson)
      this.say(`Nothing from ${dayWords(from)} to ${dayWords(span.to - day)}.`);
    await this.answer({ ...range, events }, (screen) =>
      Number.isFinite(screen.width)
        ? drawAgenda(parts, startOfDay(clock.wallOf(now)), screen)
        : table(screen, parts, [
            { title: 'Day', of: (part) => dayText(part.day) },
            { title: 'Time', of: ({ time }) => time },
            { title: 'Title', of: ({ event }) => event.summary, main: true },
            { title: 'Where', of: ({ event }) => event.location },
            { title: 'Id', of: ({ event }) => event.id, whole: true },
          ]),
    );
  }
}
