import { perform } from '../../src/client/perform.ts';
import { calendarColumns } from '../../src/cli/calendar/calendar-views.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class List extends ApiCommand {
  static override summary = 'List your calendars, and those that are shared with you';
  static override examples = ['<%= config.bin %> calendar list'];

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const { calendars } = await perform(client, calendar.listCalendars, {});
    await this.answer({ calendars }, (screen) => table(screen, calendars, calendarColumns));
  }
}
