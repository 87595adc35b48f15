import { perform } from '../../src/client/perform.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { yesFlag } from '../../src/cli/social/hub-named.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Delete extends ApiCommand {
  static override summary = 'Delete a calendar with all its events';
  static override description =
    'For its owner. The default calendar can be deleted only after another one was made the default: conclave calendar update NAME --default';
  static override examples = ['<%= config.bin %> calendar delete Work'];
  static override args = calendarArgument;
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Delete);
    await using client = await this.connect(flags);
    const { id, displayName } = await calendarNamed(client, args.calendar);
    const question = `Delete ${displayName} with all its events? This cannot be undone.`;
    await confirmed(this.terminal, flags.yes, escapeForTerminal(question));
    const reply = await perform(client, calendar.deleteCalendar, { id });
    await this.answer({ id, ...reply }, () => escapeForTerminal(`Deleted ${displayName}.`));
  }
}
