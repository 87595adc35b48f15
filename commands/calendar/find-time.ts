import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { hiddenWords, meetingFlags, namedMembers, rangeInput } from '../../src/cli/calendar/scheduling-flags.ts';
import { dayWords, timeText } from '../../src/cli/calendar/wall-clock.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class FindTime extends ApiCommand {
  static override summary = 'Find times at which members are free';
  static override description =
    'The best first: within working hours, Monday to Friday from 9:00 to 17:00, and when those who are optional can come too.';
  static override usage = 'calendar find-time MEMBER... --minutes N [--optional MEMBER] [--from DAY] [--days N]';
  static override examples = ['<%= config.bin %> calendar find-time ada bob --minutes 45 --from Monday --days 5'];
  static override strict = false;
  static override args = { members: Args.string({ description: 'ids or usernames of those who have to come' }) };
  static override flags = {
    minutes: Flags.integer({ description: 'how long', helpValue: 'N', default: 30, min: 1, max: 1440 }),
    ...meetingFlags,
    partial: Flags.boolean({ description: 'also times at which some are not free' }),
    limit: Flags.integer({ description: 'show at most this many', helpValue: 'N', default: 10, min: 1, max: 500 }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(FindTime);
    const requiredAttendees = namedMembers(argv);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const found = await perform(client, calendar.findAvailableTimes, {
      requiredAttendees,
      optionalAttendees: flags.optional ?? [],
      durationMinutes: flags.minutes,
      bufferMinutes: flags.buffer,
      includePartial: flags.partial,
      maxResults: flags.limit,
      ...(flags.earliest !== undefined && { earliest: flags.earliest }),
      ...(flags.latest !== undefined && { latest: flags.latest }),
      ...(await rangeInput(flags, { now: Date.now(), clock })),
    });
    const wall = (text: string): number => clock.wallOf(Date.parse(text));
    await this.answer(found, (screen) =>
      table(screen, found.slots, [
        { title: 'Day', of: ({ start }) => dayWords(wall(start)), main: true },
        { title: 'Time', of: ({ start, end }) => `${timeText(wall(start))}-${timeText(wall(end))}` },
        { title: 'Free', of: (slot) => `${slot.requiredFreeCount + slot.optionalFreeCount}` },
        { title: 'Note', of: ({ duringWorkingHours }) => (duringWorkingHours ? '' : 'outside of working hours') },
      ]),
    );
    if (found.slots.length === 0 && !this.wantsJson) this.say('There is no such time. Try more days, or --partial.');
    if (Object.keys(found.errors).length > 0) this.say(hiddenWords(found.errors));
  }
}
