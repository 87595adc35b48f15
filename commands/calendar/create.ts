import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { calendarFlags, calendarInput } from '../../src/cli/calendar/calendar-flags.ts';
import { calendarFacts } from '../../src/cli/calendar/calendar-views.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { details } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create a calendar';
  static override description = 'Without --zone its days are those of the time zone in your settings.';
  static override examples = ['<%= config.bin %> calendar create Work --color "#0b8043" --zone Europe/Berlin'];
  static override args = { name: Args.string({ description: 'name of the calendar', required: true }) };
  static override flags = calendarFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    const input = { displayName: args.name, ...calendarInput(flags) };
    const { calendar: made } = await perform(client, calendar.createCalendar, input);
    await this.answer(made, (screen) => details(screen, calendarFacts(screen, made)));
  }
}
