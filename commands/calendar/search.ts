import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { foundColumns } from '../../src/cli/calendar/found-events.ts';
import { readDay } from '../../src/cli/calendar/plain-words.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Search extends ApiCommand {
  static override summary = 'Search events for words';
  static override description =
    'Finds events that have all words in their title, place, people or description, the best ones first. Of a series it shows when it happens next. What you may not read is not searched.';
  static override examples = [
    '<%= config.bin %> calendar search lunch',
    '<%= config.bin %> calendar search "bob lisbon" --from 2026-05-01 --calendar Work',
  ];
  static override args = { words: Args.string({ description: 'words that are in the event', required: true }) };
  static override flags = {
    calendar: Flags.string({ description: 'name or id; default: all that you can see', helpValue: 'CALENDAR' }),
    from: Flags.string({ description: 'only what happens on this day or later', helpValue: 'DAY' }),
    limit: Flags.integer({ description: 'how many', helpValue: 'N', default: 20, min: 1, max: 100 }),
    zone: Flags.string({ description: 'time zone in which times are shown', helpValue: 'ZONE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Search);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const from = flags.from === undefined ? undefined : await readDay(flags.from, { now: Date.now(), clock });
    const within = flags.calendar === undefined ? undefined : (await calendarNamed(client, flags.calendar)).id;
    const input = {
      q: args.words,
      limit: flags.limit,
      ...(within !== undefined && { calendarIds: within }),
      ...(from !== undefined && { start: new Date(clock.instantOf(from)).toISOString() }),
    };
    const reply = await perform(client, calendar.searchEvents, input);
    await this.answer(reply, (screen) => table(screen, reply.results, foundColumns(clock)));
    if (reply.results.length === 0) this.say('No event found.');
    if (reply.nextCursor !== undefined) this.say('There are more. Use --limit, or more words.');
  }
}
