import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { calendarFlags, calendarInput } from '../../src/cli/calendar/calendar-flags.ts';
import { calendarFacts } from '../../src/cli/calendar/calendar-views.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { intervalFrom } from '../../src/cli/calendar/followed-address.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { details } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Update extends ApiCommand {
  static override summary = 'Change the name, color, zone or description of a calendar';
  static override description = 'For its owner. What is not named stays.';
  static override examples = [
    '<%= config.bin %> calendar update Work --name Office',
    '<%= config.bin %> calendar update Office --default',
  ];
  static override args = calendarArgument;
  static override flags = {
    name: Flags.string({ description: 'new name', helpValue: 'NAME' }),
    ...calendarFlags,
    every: Flags.string({ description: 'how often one from elsewhere is read: 1h to 30d', helpValue: 'DURATION' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Update);
    const change = {
      ...calendarInput(flags),
      ...(flags.name !== undefined && { displayName: flags.name }),
      ...(flags.every !== undefined && { subscriptionRefreshInterval: intervalFrom(flags.every) }),
    };
    if (Object.keys(change).length === 0)
      throw new Problem(
        'invalid',
        'USAGE',
        'Name what to change: --name, --color, --zone, --description, --default or --every.',
      );
    await using client = await this.connect(flags);
    const { id } = await calendarNamed(client, args.calendar);
    const { calendar: changed } = await perform(client, calendar.updateCalendar, { id, ...change });
    await this.answer(changed, (screen) => details(screen, calendarFacts(screen, changed)));
  }
}
