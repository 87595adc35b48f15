import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubAndPerson, hubNamed, yesFlag } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Transfer extends ApiCommand {
  static override summary = 'Make a member of your hub its owner';
  static override description = 'You are a moderator from then on.';
  static override examples = ['<%= config.bin %> social hub transfer garden bob'];
  static override args = hubAndPerson;
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Transfer);
    await using client = await this.connect(flags);
    const { id, slug } = await hubNamed(client, args.hub);
    const words = escapeForTerminal(`Make ${args.person} the owner of ${slug}?`);
    await confirmed(this.terminal, flags.yes, words);
    const reply = await perform(client, social.transferHub, { id, newOwnerId: args.person });
    await this.answer(reply, () => escapeForTerminal(`${args.person} owns ${slug}.`));
  }
}
