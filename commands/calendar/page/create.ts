import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { calendarNamed } from '../../../src/cli/calendar/find-calendar.ts';
import { kindFlags, kindFrom, kindsFrom, pageFlags, pageInput } from '../../../src/cli/calendar/page-flags.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../../src/contract/calendar.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create a booking page';
  static override description =
    'Everybody who knows its address can book appointments with you at times when your calendars are free. Flags describe one kind of appointment; --kinds-file describes several, with questions, buffers, seats and days with other hours.';
  static override examples = [
    '<%= config.bin %> calendar page create ann-talks "Talk to Ann" --minutes 30 --hours "mon-fri 9-12,13-17"',
    '<%= config.bin %> calendar page create office-hours "Office hours" --minutes 15 --hours "tue,thu 14-16" --confirm',
    '<%= config.bin %> calendar page create team "Meet the team" --kinds-file kinds.json',
  ];
  static override args = {
    page: Args.string({ description: 'its address behind /book/: lower-case letters, digits and -', required: true }),
    title: Args.string({ description: 'what guests see above it', required: true }),
  };
  static override flags = {
    ...pageFlags,
    ...kindFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    const { 'kinds-file': kinds } = flags;
    const appointmentTypes = kinds === undefined ? [kindFrom(flags)] : await kindsFrom(this.terminal, kinds);
    await using client = await this.connect(flags);
    const target = flags.calendar === undefined ? undefined : await calendarNamed(client, flags.calendar);
    const reply = await perform(client, calendar.createBookingPage, {
      slug: args.page,
      title: args.title,
      ...pageInput(flags),
      ...(target !== undefined && { calendarId: target.id }),
      appointmentTypes,
    });
    await this.answer(reply, () => escapeForTerminal(`Created the booking page ${reply.page.url}`));
  }
}
