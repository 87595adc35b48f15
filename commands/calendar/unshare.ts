import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { shareNamed } from '../../src/cli/calendar/find-share.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Unshare extends ApiCommand {
  static override summary = 'End a share of a calendar';
  static override description = 'For its owner. The member sees nothing of the calendar any more, at once.';
  static override examples = ['<%= config.bin %> calendar unshare Work bob'];
  static override args = {
    ...calendarArgument,
    member: Args.string({
      description: 'username or id of the member, or eight or more digits of the id of the share',
      required: true,
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unshare);
    await using client = await this.connect(flags);
    const of = await calendarNamed(client, args.calendar);
    const { id: shareId, grantedTo } = await shareNamed(client, of, args.member);
    const reply = await perform(client, calendar.removeShare, { calendarId: of.id, shareId });
    await this.answer({ id: shareId, ...reply }, () =>
      escapeForTerminal(`${of.displayName} is not shared with ${grantedTo.username} any more.`),
    );
  }
}
