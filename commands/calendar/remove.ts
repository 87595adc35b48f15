import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { notifyFlag, notifyInput } from '../../src/cli/calendar/attendee-flag.ts';
import { eventWords } from '../../src/cli/calendar/event-views.ts';
import { eventArgument, findEvent, modeFlags, modeOf } from '../../src/cli/calendar/find-event.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete an event, a series, or instances of it';
  static override description =
    'The id of a series deletes all of it, that of an instance only this one. Whoever is invited hears of it, or its organizer, unless it is --no-notify.';
  static override examples = [
    '<%= config.bin %> calendar remove 019a3c5d7e21',
    '<%= config.bin %> calendar remove 019a3c5d7e21 --on tomorrow',
    '<%= config.bin %> calendar remove 019a3c5d7e21 --on 2026-06-01 --following --yes',
    '<%= config.bin %> calendar remove 019a3c5d7e21 --no-notify',
  ];
  static override args = eventArgument;
  static override flags = {
    ...modeFlags,
    ...notifyFlag,
    zone: Flags.string({ description: 'time zone in which its day is', helpValue: 'ZONE' }),
    yes: Flags.boolean({ description: 'do not ask' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const event = await findEvent(client, args.event, flags.on, { now: Date.now(), clock });
    const mode = modeOf(flags, event);
    const which = { single: '', thisAndFuture: ' and all later ones', all: ' with all its instances' };
    const usual = event.isRecurring && event.occurrenceId === undefined ? 'all' : 'single';
    const what = `${event.summary}, ${eventWords(event, clock)}${event.isRecurring ? which[mode ?? usual] : ''}`;
    await confirmed(this.terminal, flags.yes, escapeForTerminal(`Delete ${what}?`));
    await perform(client, calendar.deleteEvent, {
      id: event.id,
      ifMatch: `"${event.etag}"`,
      ...(mode !== undefined && { modificationMode: mode }),
      ...notifyInput(flags),
    });
    await this.answer({ deleted: event.id }, () => escapeForTerminal(`Deleted ${what}.`));
  }
}
