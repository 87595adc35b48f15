import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubArgument } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Leave extends ApiCommand {
  static override summary = 'Leave a hub';
  static override description = 'You see its posts no more. The owner makes another member the owner first.';
  static override examples = ['<%= config.bin %> social hub leave garden'];
  static override args = hubArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Leave);
    await using client = await this.connect(flags);
    const reply = await perform(client, social.leaveHub, { idOrSlug: args.hub });
    await this.answer(reply, () => escapeForTerminal(`You left ${args.hub}.`));
  }
}
