import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { hiddenWords, namedMembers, rangeFlags, rangeInput } from '../../src/cli/calendar/scheduling-flags.ts';
import { dayWords, timeText } from '../../src/cli/calendar/wall-clock.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

const kinds = { 'BUSY-UNAVAILABLE': 'away', BUSY: 'busy', 'BUSY-TENTATIVE': 'maybe' } as const;

export default class Free extends ApiCommand {
  static override summary = 'Show when members are busy';
  static override usage = 'calendar free MEMBER... [--from DAY] [--days N] [--zone ZONE]';
  static override examples = ['<%= config.bin %> calendar free bob cleo --from Monday --days 5'];
  static override strict = false;
  static override args = { members: Args.string({ description: 'ids or usernames' }) };
  static override flags = rangeFlags;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Free);
    const userIds = namedMembers(argv);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const found = await perform(client, calendar.freeBusy, {
      userIds,
      ...(await rangeInput(flags, { now: Date.now(), clock })),
    });
    const rows = found.freeBusy.flatMap(({ username, slots }) => slots.map((slot) => ({ username, ...slot })));
    const at = (text: string): string => {
      const wall = clock.wallOf(Date.parse(text));
      return `${dayWords(wall)} ${timeText(wall)}`;
    };
    await this.answer(found, (screen) =>
      table(screen, rows, [
        { title: 'Member', of: ({ username }) => username, main: true },
        { title: 'From', of: ({ start }) => at(start) },
        { title: 'To', of: ({ end }) => at(end) },
        { title: 'Time', of: ({ type }) => kinds[type] },
      ]),
    );
    const free = found.freeBusy.filter(({ slots }) => slots.length === 0).map(({ username }) => username);
    if (free.length > 0 && !this.wantsJson) this.say(`Free all the time: ${free.join(', ')}.`);
    if (Object.keys(found.errors).length > 0) this.say(hiddenWords(found.errors));
  }
}
