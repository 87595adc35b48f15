import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { detailFlag, detailOf, linkShows } from '../../src/cli/calendar/link-views.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { expiryOf } from '../../src/cli/kit/expiry.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Link extends ApiCommand {
  static override summary = 'Make a secret address of a calendar, for programs without a sign-in';
  static override description =
    'For its owner. It prints the address, once: whoever knows it reads the calendar, without what is private. A new one takes the place of the one before with the same --detail.';
  static override examples = [
    '<%= config.bin %> calendar link Work',
    '<%= config.bin %> calendar link Work --detail freebusy --expires 90d',
  ];
  static override args = calendarArgument;
  static override flags = {
    ...detailFlag,
    expires: Flags.string({ description: 'when it ends: 90d, 12h, or a date', helpValue: 'WHEN', default: 'never' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Link);
    const expiresAt = expiryOf(flags.expires, Date.now());
    await using client = await this.connect(flags);
    const { id: calendarId, displayName } = await calendarNamed(client, args.calendar);
    const detail = detailOf(flags.detail) ?? 'viewer';
    const input = { calendarId, detail, ...(expiresAt !== undefined && { expiresAt }) };
    const made = await perform(client, calendar.createPublicLink, input);
    await this.answer(made, () => made.url);
    this.say(
      escapeForTerminal(
        `Whoever knows this address sees of ${displayName}: ${linkShows[detail]}. It is not shown again.`,
      ),
    );
  }
}
