import { perform } from '../../src/client/perform.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { detailFlag, detailOf } from '../../src/cli/calendar/link-views.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Unlink extends ApiCommand {
  static override summary = 'Revoke the secret addresses of a calendar';
  static override description = 'For its owner. They open nothing any more, at once. With --detail only that one.';
  static override examples = [
    '<%= config.bin %> calendar unlink Work',
    '<%= config.bin %> calendar unlink Work --detail freebusy',
  ];
  static override args = calendarArgument;
  static override flags = detailFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unlink);
    await using client = await this.connect(flags);
    const { id: calendarId, displayName } = await calendarNamed(client, args.calendar);
    const detail = detailOf(flags.detail);
    const input = { calendarId, ...(detail !== undefined && { detail }) };
    const reply = await perform(client, calendar.revokePublicLink, input);
    const which = detail === undefined ? 'No secret address' : `The secret address with --detail ${detail}`;
    await this.answer({ calendarId, ...reply }, () =>
      escapeForTerminal(
        detail === undefined
          ? `${which} opens ${displayName} any more.`
          : `${which} does not open ${displayName} any more.`,
      ),
    );
  }
}
