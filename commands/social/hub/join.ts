import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubArgument } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Join extends ApiCommand {
  static override summary = 'Become a member of a hub';
  static override description = 'You see its posts, and may post there as its tier says.';
  static override examples = ['<%= config.bin %> social hub join garden'];
  static override args = hubArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Join);
    await using client = await this.connect(flags);
    const reply = await perform(client, social.joinHub, { idOrSlug: args.hub });
    await this.answer(reply, () => escapeForTerminal(`You are a member of ${args.hub}.`));
  }
}
