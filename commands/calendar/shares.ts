import { perform } from '../../src/client/perform.ts';
import { rights } from '../../src/cli/calendar/calendar-views.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { shellWord } from '../../src/cli/kit/shell-word.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Shares extends ApiCommand {
  static override summary = 'List who a calendar is shared with';
  static override description = 'For its owner.';
  static override examples = ['<%= config.bin %> calendar shares Work'];
  static override args = calendarArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Shares);
    await using client = await this.connect(flags);
    const { id: calendarId, displayName } = await calendarNamed(client, args.calendar);
    const { shares } = await perform(client, calendar.listShares, { calendarId });
    await this.answer({ shares }, (shown) =>
      table(shown, shares, [
        { title: 'Member', of: ({ grantedTo }) => grantedTo.username, main: true },
        { title: 'May', of: ({ permission }) => rights[permission] },
        {
          title: 'Ends',
          of: ({ expiresAt }, screen) => (expiresAt === undefined ? 'never' : moment(screen, expiresAt)),
        },
        { title: 'Id', of: ({ id }) => id, whole: true, spare: true },
      ]),
    );
    if (shares.length === 0)
      this.say(`It is shared with nobody. To share it, run: conclave calendar share ${shellWord(displayName)} MEMBER`);
  }
}
