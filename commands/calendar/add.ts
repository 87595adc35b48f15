import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { Problem } from '../../src/base/problem.ts';
import { aboutEvent, eventFlags, timesOf } from '../../src/cli/calendar/event-flags.ts';
import { eventWords } from '../../src/cli/calendar/event-views.ts';
import { calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { attendeesInput, inviteFlag, unreachedWords } from '../../src/cli/calendar/invite-flag.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { whenWords } from '../../src/cli/calendar/when-words.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Add extends ApiCommand {
  static override summary = 'Add an event';
  static override description =
    'When it is can be said in plain words; what was understood is shown. Without a time of day it is all day, without a length an hour.';
  static override examples = [
    '<%= config.bin %> calendar add "Lunch with Bob" "tomorrow 12:30 1h"',
    '<%= config.bin %> calendar add Stand-up "every weekday 9:00 15 min" --calendar Work',
    '<%= config.bin %> calendar add Trip --start 2026-05-12 --end 2026-05-15 --location Lisbon',
    '<%= config.bin %> calendar add Review "Friday 14:00 1h" --invite bob --invite eve@b.example',
  ];
  static override args = {
    title: Args.string({ description: 'title of the event', required: true }),
    when: Args.string({ description: 'when it is: tomorrow 12:30 1h, Friday 14:00-15:30, every Monday at 9' }),
  };
  static override flags = {
    calendar: Flags.string({ description: 'name or id; default: your default calendar', helpValue: 'CALENDAR' }),
    ...inviteFlag,
    ...eventFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Add);
    if (args.when === undefined && flags.start === undefined)
      throw new Problem('invalid', 'USAGE', 'Say when it is: "tomorrow 12:30 1h" after the title, or --start.');
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const { given, when } = await timesOf(args.when, flags, { now: Date.now(), clock });
    if (when !== undefined) this.say(whenWords(when, clock.zone));
    const calendarId = flags.calendar === undefined ? undefined : (await calendarNamed(client, flags.calendar)).id;
    const input = {
      ...(calendarId !== undefined && { calendarId }),
      summary: args.title,
      ...aboutEvent(flags),
      ...attendeesInput(flags),
      ...given,
    };
    const { event } = await perform(client, calendar.createEvent, input);
    const unreached = unreachedWords(event);
    if (unreached !== undefined) this.say(unreached);
    await this.answer({ event }, () =>
      escapeForTerminal(`Added ${event.summary}: ${eventWords(event, clock)} (${event.id})`),
    );
  }
}
