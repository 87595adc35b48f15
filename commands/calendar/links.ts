import { perform } from '../../src/client/perform.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { linkShows } from '../../src/cli/calendar/link-views.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { shellWord } from '../../src/cli/kit/shell-word.ts';
import { table } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Links extends ApiCommand {
  static override summary = 'List the secret addresses of a calendar';
  static override description = 'For its owner. The addresses themselves are known to nobody but those who have them.';
  static override examples = ['<%= config.bin %> calendar links Work'];
  static override args = calendarArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Links);
    await using client = await this.connect(flags);
    const { id: calendarId, displayName } = await calendarNamed(client, args.calendar);
    const { links } = await perform(client, calendar.listPublicLinks, { calendarId });
    await this.answer({ links }, (shown) =>
      table(shown, links, [
        { title: 'Detail', of: ({ detail }) => detail, main: true },
        { title: 'Shows', of: ({ detail }) => linkShows[detail] },
        { title: 'Made', of: ({ createdAt }, screen) => moment(screen, createdAt) },
        {
          title: 'Ends',
          of: ({ expiresAt }, screen) => (expiresAt === undefined ? 'never' : moment(screen, expiresAt)),
        },
      ]),
    );
    if (links.length === 0) this.say(`It has none. To make one, run: conclave calendar link ${shellWord(displayName)}`);
  }
}
