import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { collectInvitations } from '../../src/cli/calendar/find-invitation.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';
import type { Invitation } from '../../src/contract/calendar/invitations.ts';
import { invitationStatuses } from '../../src/contract/calendar/limits.ts';

export default class Invitations extends ApiCommand {
  static override summary = 'List invitations';
  static override description =
    'Those of people whom you do not know wait here, and come into your calendar when you accept them.';
  static override examples = [
    '<%= config.bin %> calendar invitations',
    '<%= config.bin %> calendar invitations --status all',
  ];
  static override flags = {
    status: Flags.string({
      description: 'pending, accepted, tentative, declined, cancelled or all',
      options: [...invitationStatuses, 'all'],
      default: 'pending',
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Invitations);
    await using client = await this.connect(flags);
    const status = flags.status as Invitation['status'] | 'all';
    const invitations = await collectInvitations(client, status);
    const { proposals, unexpectedReplies } = await perform(client, calendar.listInvitations, { status, limit: 1 });
    await this.answer({ invitations, proposals, unexpectedReplies }, (screen) =>
      table(screen, invitations, [
        { title: 'Title', of: ({ summary }) => summary, main: true },
        { title: 'When', of: ({ start, allDay, dtstart }) => (allDay ? dtstart : moment(screen, start)) },
        { title: 'From', of: ({ organizer: { displayName, email } }) => displayName ?? email ?? '' },
        { title: 'Status', of: (one) => (one.waits && one.status === 'pending' ? 'waits' : one.status) },
        { title: 'Id', of: ({ eventId }) => eventId, whole: true },
      ]),
    );
    if (invitations.length === 0) this.say('There are none.');
    for (const { attendee, proposedStart, eventId } of proposals)
      this.say(`${attendee.displayName ?? attendee.email ?? 'Somebody'} proposes ${proposedStart} for ${eventId}.`);
    for (const { attendee, eventId } of unexpectedReplies)
      this.say(`${attendee.displayName ?? attendee.email ?? 'Somebody'}, who is not invited, answered for ${eventId}.`);
  }
}
