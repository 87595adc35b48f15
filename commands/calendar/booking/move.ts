import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { appointmentArgument, findAppointment } from '../../../src/cli/calendar/find-appointment.ts';
import { appointmentText } from '../../../src/cli/calendar/page-views.ts';
import { readStart } from '../../../src/cli/calendar/plain-words.ts';
import { readerClock } from '../../../src/cli/calendar/reader-zone.ts';
import { dayWords, startOfDay, timeText } from '../../../src/cli/calendar/wall-clock.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../../src/contract/calendar.ts';

export default class Move extends ApiCommand {
  static override summary = 'Move an appointment to another time';
  static override description =
    'To a time that guests can book. It keeps its length, and its day if only a time of day is named. The guest is told.';
  static override examples = [
    '<%= config.bin %> calendar booking move 019a3c5d7e21 "Friday 14:00"',
    '<%= config.bin %> calendar booking move 019a3c5d7e21 2026-06-01T09:30 --zone Europe/Berlin --yes',
  ];
  static override args = {
    ...appointmentArgument,
    when: Args.string({ description: 'when it begins: tomorrow 14:00, 9:30, 2026-05-12T14:00', required: true }),
  };
  static override flags = {
    zone: Flags.string({ description: 'time zone of the new time, such as Europe/Berlin', helpValue: 'ZONE' }),
    yes: Flags.boolean({ description: 'do not ask' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Move);
    await using client = await this.connect(flags);
    const clock = await readerClock(client, flags.zone);
    const found = await findAppointment(client, args.appointment);
    const before = startOfDay(clock.wallOf(Date.parse(found.startTime)));
    const start = await readStart(args.when, { now: Date.now(), clock, day: before });
    const text = await this.drawn((screen) => appointmentText(screen, found));
    const to = `${dayWords(start)}, ${timeText(start)} ${clock.zone}`;
    await confirmed(this.terminal, flags.yes, escapeForTerminal(`Move ${text} to ${to}?`));
    const startTime = new Date(clock.instantOf(start)).toISOString();
    const reply = await perform(client, calendar.rescheduleAppointment, { id: found.id, startTime });
    await this.answer(reply, (screen) => escapeForTerminal(`Moved ${appointmentText(screen, reply.appointment)}.`));
  }
}
