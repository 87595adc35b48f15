import { Flags } from '@oclif/core';
import { Problem } from '../../src/base/problem.ts';
import { agreed } from '../../src/cli/calendar/agreed.ts';
import { changeEvent } from '../../src/cli/calendar/change-event.ts';
import { aboutEvent, eventFlags, timesOf } from '../../src/cli/calendar/event-flags.ts';
import { droppedWords, eventTime, eventWords, movedWords } from '../../src/cli/calendar/event-views.ts';
import { eventArgument, findEvent, modeFlags, modeOf } from '../../src/cli/calendar/find-event.ts';
import { readerClock } from '../../src/cli/calendar/reader-zone.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change an event, or instances of a series';
  static override description =
    'What is not named stays: a new time of day keeps day and length. The id of a series changes all of it, that of an instance only this one. What another program changed meanwhile is not overwritten.';
  static override examples = [
    '<%= config.bin %> calendar edit 019a3c5d7e21 --title "Lunch with Bob and Cleo" --when 13:00',
    '<%= config.bin %> calendar edit 019a3c5d7e21 --on 2026-05-12 --when "13 May 10:00"',
    '<%= config.bin %> calendar edit 019a3c5d7e21 --on 2026-06-01 --following --duration "30 min"',
  ];
  static override args = eventArgument;
  static override flags = {
    title: Flags.string({ description: 'new title', helpValue: 'TEXT' }),
    when: Flags.string({ description: 'when it is, in plain words', helpValue: 'WORDS' }),
    ...eventFlags,
    repeat: Flags.string({ description: 'as calendar add has it; never for once', helpValue: 'RULE' }),
    ...modeFlags,
    yes: Flags.boolean({ description: 'do not ask whether --when was understood' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const now = Date.now();
    const before = await findEvent(client, args.event, flags.on, { now, clock });
    const mode = modeOf(flags, before);
    const reader = { now, clock, day: eventTime(before, clock).start };
    const { given, when } = await timesOf(flags.when, flags, reader);
    const changes = { ...(flags.title !== undefined && { summary: flags.title }), ...aboutEvent(flags), ...given };
    if (Object.keys(changes).length === 0)
      throw new Problem('invalid', 'USAGE', 'Name what to change: --title, --when, --location, or another option.');
    if (when !== undefined) {
      const change = `${before.summary}: ${eventWords(before, clock)}, becomes ${movedWords(when, before, clock)}`;
      await agreed(this.terminal, flags.yes, escapeForTerminal(`Change ${change}?`));
    }
    const isZoneNamed = flags.zone !== undefined;
    const reply = await changeEvent(client, { before, mode, given: changes, clock, isZoneNamed });
    const { event, droppedOverrides } = reply;
    await this.answer(reply, () =>
      escapeForTerminal(`Changed ${event.summary}: ${eventWords(event, clock)}.${droppedWords(droppedOverrides)}`),
    );
  }
}
