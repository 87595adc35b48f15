import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { eventFacts } from '../../src/cli/calendar/event-views.ts';
import { eventArgument, findEvent, instanceFlag } from '../../src/cli/calendar/find-event.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { details } from '../../src/cli/kit/table.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show an event, a series, or one instance of it';
  static override examples = [
    '<%= config.bin %> calendar show 019a3c5d7e21',
    '<%= config.bin %> calendar show 019a3c5d7e21 --on "next Friday"',
  ];
  static override args = eventArgument;
  static override flags = {
    ...instanceFlag,
    zone: Flags.string({ description: 'time zone in which times are shown', helpValue: 'ZONE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const event = await findEvent(client, args.event, flags.on, { now: Date.now(), clock });
    const { calendar: its } = await perform(client, calendar.showCalendar, { id: event.calendarId });
    await this.answer({ event }, (screen) => details(screen, eventFacts(event, clock, its.displayName)));
  }
}
