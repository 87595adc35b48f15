import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { calendarNamed } from '../../../src/cli/calendar/find-calendar.ts';
import { kindsFrom, pageArgument, pageFlags, pageInput } from '../../../src/cli/calendar/page-flags.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../../src/contract/calendar.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change a booking page';
  static override description =
    'What is not named stays. --kinds-file replaces all kinds of appointments; those with their id stay the same kinds. Appointments that were booked stay.';
  static override examples = [
    '<%= config.bin %> calendar page edit ann-talks --title "Talk to us" --per-day 3',
    '<%= config.bin %> calendar page edit ann-talks --off',
    '<%= config.bin %> calendar page edit team --kinds-file kinds.json',
  ];
  static override args = pageArgument;
  static override flags = {
    title: Flags.string({ description: 'what guests see above it', helpValue: 'TEXT' }),
    ...pageFlags,
    off: Flags.boolean({ description: 'nobody sees it', exclusive: ['on'] }),
    on: Flags.boolean({ description: 'guests see it again' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const { title, 'kinds-file': kinds, on, off } = flags;
    const appointmentTypes = kinds === undefined ? undefined : await kindsFrom(this.terminal, kinds);
    await using client = await this.connect(flags);
    const target = flags.calendar === undefined ? undefined : await calendarNamed(client, flags.calendar);
    const reply = await perform(client, calendar.updateBookingPage, {
      slug: args.page,
      ...pageInput(flags),
      ...(title !== undefined && { title }),
      ...(target !== undefined && { calendarId: target.id }),
      ...(appointmentTypes !== undefined && { appointmentTypes }),
      ...(off && { active: false }),
      ...(on && { active: true }),
    });
    await this.answer(reply, () => escapeForTerminal(`Changed the booking page ${reply.page.slug}.`));
  }
}
