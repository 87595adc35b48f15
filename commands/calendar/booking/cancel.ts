import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { appointmentArgument, findAppointment } from '../../../src/cli/calendar/find-appointment.ts';
import { appointmentText } from '../../../src/cli/calendar/page-views.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { calendar } from '../../../src/contract/calendar.ts';

export default class Cancel extends ApiCommand {
  static override summary = 'Cancel an appointment';
  static override description = 'The guest reads the reason, and its time is free again.';
  static override examples = ['<%= config.bin %> calendar booking cancel 019a3c5d7e21 --reason "I am ill" --yes'];
  static override args = appointmentArgument;
  static override flags = {
    reason: Flags.string({ description: 'why, for the guest', helpValue: 'TEXT' }),
    yes: Flags.boolean({ description: 'do not ask' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cancel);
    await using client = await this.connect(flags);
    const found = await findAppointment(client, args.appointment);
    const text = await this.drawn((screen) => appointmentText(screen, found));
    await confirmed(this.terminal, flags.yes, escapeForTerminal(`Cancel ${text}?`));
    const { reason } = flags;
    const input = { id: found.id, ...(reason !== undefined && { reason }) };
    const reply = await perform(client, calendar.cancelAppointment, input);
    await this.answer(reply, (screen) => escapeForTerminal(`Cancelled ${appointmentText(screen, reply.appointment)}.`));
  }
}
