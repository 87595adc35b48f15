import { perform } from '../../src/client/perform.ts';
import { notifyFlag, notifyInput } from '../../src/cli/calendar/attendee-flag.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { yesFlag } from '../../src/cli/social/hub-named.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Delete extends ApiCommand {
  static override summary = 'Delete a calendar with all its events';
  static override description =
    'For its owner. The default calendar can be deleted only after another one was made the default: conclave calendar update NAME --default. Its events are cancelled for those who are invited to them, and invitations in it are declined, unless it is --no-notify.';
  static override examples = [
    '<%= config.bin %> calendar delete Work',
    '<%= config.bin %> calendar delete Imported --no-notify --yes',
  ];
  static override args = calendarArgument;
  static override flags = { ...notifyFlag, ...yesFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Delete);
    await using client = await this.connect(flags);
    const { id, displayName } = await calendarNamed(client, args.calendar);
    const question = `Delete ${displayName} with all its events? This cannot be undone.`;
    await confirmed(this.terminal, flags.yes, escapeForTerminal(question));
    const reply = await perform(client, calendar.deleteCalendar, { id, ...notifyInput(flags) });
    await this.answer({ id, ...reply }, () => escapeForTerminal(`Deleted ${displayName}.`));
  }
}
