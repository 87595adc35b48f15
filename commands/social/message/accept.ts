import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { requestArgument } from '../../../src/cli/social/messages/arguments.ts';
import { decide } from '../../../src/cli/social/messages/requests.ts';

export default class Accept extends ApiCommand {
  static override summary = 'Accept a message request';
  static override description = 'The conversation is among your others from then on. An answer accepts it too.';
  static override examples = ['<%= config.bin %> social message accept ada'];
  static override args = requestArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Accept);
    await using client = await this.connect(flags);
    const request = await decide(client, args.name, 'accept');
    await this.answer({ request }, () => escapeForTerminal(`${request.senderUsername} can write to you.`));
  }
}
