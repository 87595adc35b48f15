import { perform } from '../../src/client/perform.ts';
import { pageColumns } from '../../src/cli/calendar/page-views.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Pages extends ApiCommand {
  static override summary = 'List your booking pages';
  static override examples = ['<%= config.bin %> calendar pages'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Pages);
    await using client = await this.connect(flags);
    const { pages } = await perform(client, calendar.listBookingPages, {});
    await this.answer({ pages }, (screen) => table(screen, pages, pageColumns));
    if (pages.length === 0)
      this.say('You have no booking page. To make one, run: conclave calendar page create NAME TITLE');
  }
}
