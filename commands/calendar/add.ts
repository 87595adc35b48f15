import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { agreed } from '../../src/cli/calendar/agreed.ts';
import { aboutEvent, eventFlags, saidEvent } from '../../src/cli/calendar/event-flags.ts';
import { eventWords } from '../../src/cli/calendar/event-views.ts';
import { calendarNamed } from '../../src/cli/calendar/find-calendar.ts';
import { attendeeFlag, attendeesInput, unreachedWords } from '../../src/cli/calendar/attendee-flag.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { whenWords } from '../../src/cli/calendar/when-words.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { isInteractive } from '../../src/cli/kit/terminal.ts';
import { calendar } from '../../src/contract/calendar.ts';

export default class Add extends ApiCommand {
  static override summary = 'Add an event';
  static override description =
    'When it is can be said in plain words, behind the title or apart from it; what was understood is shown, and on a terminal you are asked before it is written. Without a time of day it is all day, without a length an hour.';
  static override examples = [
    '<%= config.bin %> calendar add "Lunch with Bob tomorrow 12:30 1h"',
    '<%= config.bin %> calendar add Stand-up "every weekday 9:00 15 min" --calendar Work --yes',
    '<%= config.bin %> calendar add Trip --start 2026-05-12 --end 2026-05-15 --location Lisbon',
    '<%= config.bin %> calendar add Review "Friday 14:00 1h" --attendee bob --attendee eve@b.example',
  ];
  static override args = {
    title: Args.string({ description: 'title of the event, or title and when it is', required: true }),
    when: Args.string({ description: 'when it is: tomorrow 12:30 1h, Friday 14:00-15:30, every Monday at 9' }),
  };
  static override flags = {
    calendar: Flags.string({ description: 'name or id; default: your default calendar', helpValue: 'CALENDAR' }),
    ...attendeeFlag,
    ...eventFlags,
    yes: Flags.boolean({ description: 'do not ask whether it was understood' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Add);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const { title, given, when } = await saidEvent(args, flags, { now: Date.now(), clock });
    const calendarId = flags.calendar === undefined ? undefined : (await calendarNamed(client, flags.calendar)).id;
    if (when !== undefined) {
      const words = whenWords(when, clock.zone);
      if (!isInteractive(this.terminal) || flags.yes) this.say(args.when === undefined ? `${title}: ${words}` : words);
      await agreed(this.terminal, flags.yes, escapeForTerminal(`Add ${title}: ${words}?`));
    }
    const input = {
      ...(calendarId !== undefined && { calendarId }),
      summary: title,
      ...aboutEvent(flags),
      ...attendeesInput(flags),
      ...given,
    };
    const { event } = await perform(client, calendar.createEvent, input);
    for (const words of unreachedWords(event)) this.say(words);
    await this.answer({ event }, () =>
      escapeForTerminal(`Added ${event.summary}: ${eventWords(event, clock)} (${event.id})`),
    );
  }
}
