import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { eventArgument, findEvent, instanceFlag } from '../../src/cli/calendar/find-event.ts';
import { waitingInvitation } from '../../src/cli/calendar/find-invitation.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { calendar } from '../../src/contract/calendar.ts';

const said = { yes: 'You come', no: 'You do not come', maybe: 'You may come' } as const;

export default class Rsvp extends ApiCommand {
  static override summary = 'Answer an invitation';
  static override description = 'The organizer hears of it. Of a series it is for all instances, or with --on for one.';
  static override examples = [
    '<%= config.bin %> calendar rsvp 019a3c5d7e21 yes',
    '<%= config.bin %> calendar rsvp 019a3c5d7e21 no --on "next Friday" --comment "On holiday"',
  ];
  static override args = {
    ...eventArgument,
    answer: Args.string({ description: 'yes, no or maybe', options: ['yes', 'no', 'maybe'], required: true }),
  };
  static override flags = {
    ...instanceFlag,
    comment: Flags.string({ description: 'what to tell the organizer', helpValue: 'TEXT' }),
    zone: Flags.string({ description: 'time zone of the day', helpValue: 'ZONE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Rsvp);
    await using client = await this.connect(flags);
    const waiting = flags.on === undefined ? await waitingInvitation(client, args.event) : undefined;
    const clock = await readerClock(client, flags.zone);
    const event = waiting ?? (await findEvent(client, args.event, flags.on, { now: Date.now(), clock }));
    const done = await perform(client, calendar.rsvp, {
      eventId: event.id,
      response: args.answer,
      ...(flags.comment !== undefined && { comment: flags.comment }),
    });
    await this.answer(done, () => `${said[args.answer as keyof typeof said]}: ${event.summary}`);
  }
}
