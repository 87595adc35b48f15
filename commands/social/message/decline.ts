import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { requestArgument } from '../../../src/cli/social/messages/arguments.ts';
import { decide } from '../../../src/cli/social/messages/requests.ts';

export default class Decline extends ApiCommand {
  static override summary = 'Decline a message request';
  static override description =
    'Its sender is told nothing, and can send no more. If you write to them later, it is accepted.';
  static override examples = ['<%= config.bin %> social message decline mallory'];
  static override args = requestArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Decline);
    await using client = await this.connect(flags);
    const request = await decide(client, args.name, 'decline');
    await this.answer({ request }, () =>
      escapeForTerminal(`You declined the message request of ${request.senderUsername}, who is told nothing.`),
    );
  }
}
