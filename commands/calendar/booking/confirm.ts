import { perform } from '../../../src/client/perform.ts';
import { appointmentArgument, findAppointment } from '../../../src/cli/calendar/find-appointment.ts';
import { appointmentText } from '../../../src/cli/calendar/page-views.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../../src/contract/calendar.ts';

export default class Confirm extends ApiCommand {
  static override summary = 'Confirm an appointment that waits for you';
  static override description = 'Refused if an event takes its time by now.';
  static override examples = ['<%= config.bin %> calendar booking confirm 019a3c5d7e21'];
  static override args = appointmentArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Confirm);
    await using client = await this.connect(flags);
    const found = await findAppointment(client, args.appointment);
    const reply = await perform(client, calendar.confirmAppointment, { id: found.id });
    await this.answer(reply, (screen) => escapeForTerminal(`Confirmed ${appointmentText(screen, reply.appointment)}.`));
  }
}
