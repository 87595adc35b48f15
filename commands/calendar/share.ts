import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { rights } from '../../src/cli/calendar/calendar-views.ts';
import { calendarArgument, calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { expiryOf } from '../../src/cli/kit/expiry.ts';
import { calendar } from '../../src/contract/calendar.ts';
import { grantable, type Grantable } from '../../src/contract/calendar/limits.ts';

export default class Share extends ApiCommand {
  static override summary = 'Share a calendar with a member';
  static override description =
    'For its owner. A viewer reads its events, without those that are private; an editor changes them; freebusy shows only when time is taken.';
  static override examples = [
    '<%= config.bin %> calendar share Work bob',
    '<%= config.bin %> calendar share Work cleo --as freebusy --expires 90d',
  ];
  static override args = {
    ...calendarArgument,
    member: Args.string({ description: 'username, verified e-mail address or id', required: true }),
  };
  static override flags = {
    as: Flags.string({ description: 'what the member may do', options: [...grantable], default: 'viewer' }),
    expires: Flags.string({ description: 'when it ends: 90d, 12h, or a date', helpValue: 'WHEN', default: 'never' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Share);
    const expiresAt = expiryOf(flags.expires, Date.now());
    await using client = await this.connect(flags);
    const { id: calendarId, displayName } = await calendarNamed(client, args.calendar);
    const permission = flags.as as Grantable;
    const input = {
      calendarId,
      grantedToUserId: args.member,
      permission,
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const { share } = await perform(client, calendar.shareCalendar, input);
    await this.answer(share, () =>
      escapeForTerminal(`Shared ${displayName} with ${share.grantedTo.username}: ${rights[share.permission]}.`),
    );
  }
}
