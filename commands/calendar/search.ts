import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { calendarsNamed } from '../../src/cli/calendar/find-calendar.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { foundTable } from '../../src/cli/calendar/found-table.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Search extends ApiCommand {
  static override summary = 'Search events for words';
  static override description =
    'All words must be in title, place, description or attendees, in any case and with or without accents. What fits best comes first; of a series, the next instance is shown.';
  static override examples = [
    '<%= config.bin %> calendar search lunch',
    '<%= config.bin %> calendar search "board meeting" --calendar Work --limit 10',
  ];
  static override args = { words: Args.string({ description: 'words that are in the event', required: true }) };
  static override flags = {
    calendar: Flags.string({
      description: 'name or id; may be repeated; default: all that you can see',
      helpValue: 'CALENDAR',
      multiple: true,
      multipleNonGreedy: true,
    }),
    zone: Flags.string({ description: 'time zone in which times are shown', helpValue: 'ZONE' }),
    limit: Flags.integer({ description: 'largest number of events', helpValue: 'N', default: 50, min: 1, max: 100 }),
    cursor: Flags.string({ description: 'where an earlier search ended', helpValue: 'CURSOR' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Search);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const { chosen } = await calendarsNamed(client, flags.calendar ?? []);
    const reply = await perform(client, calendar.searchEvents, {
      q: args.words,
      limit: flags.limit,
      ...(chosen.length > 0 && { calendarIds: chosen }),
      ...(flags.cursor !== undefined && { cursor: flags.cursor }),
    });
    const { results, nextCursor } = reply;
    await this.answer({ items: results, hasMore: nextCursor !== undefined, cursor: nextCursor }, (screen) =>
      foundTable(screen, results, clock),
    );
    if (results.length === 0 && !this.wantsJson) this.say('No event has these words.');
    if (nextCursor !== undefined && !this.wantsJson) this.say('There are more. --limit shows up to 100.');
  }
}
