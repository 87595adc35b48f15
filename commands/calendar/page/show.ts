import { perform } from '../../../src/client/perform.ts';
import { pageArgument } from '../../../src/cli/calendar/page-flags.ts';
import { pageFacts } from '../../../src/cli/calendar/page-views.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { details } from '../../../src/cli/kit/table.ts';
import { calendar } from '../../../src/contract/calendar.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show a booking page';
  static override description = 'In the JSON, `appointmentTypes` is what page edit --kinds-file takes.';
  static override examples = ['<%= config.bin %> calendar page show ann-talks'];
  static override args = pageArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const reply = await perform(client, calendar.showPageSettings, { slug: args.page });
    await this.answer(reply, (screen) => details(screen, pageFacts(reply.page)));
  }
}
