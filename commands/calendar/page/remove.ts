import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { pageArgument } from '../../../src/cli/calendar/page-flags.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../../src/contract/calendar.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete a booking page';
  static override description = 'Appointments that were booked stay. Its address is free again after 90 days.';
  static override examples = ['<%= config.bin %> calendar page remove ann-talks --yes'];
  static override args = pageArgument;
  static override flags = { yes: Flags.boolean({ description: 'do not ask' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { page } = await perform(client, calendar.showPageSettings, { slug: args.page });
    await confirmed(
      this.terminal,
      flags.yes,
      escapeForTerminal(`Delete the booking page ${page.slug}, ${page.title}?`),
    );
    await perform(client, calendar.deleteBookingPage, { slug: page.slug });
    await this.answer({ deleted: page.slug }, () => escapeForTerminal(`Deleted the booking page ${page.slug}.`));
  }
}
