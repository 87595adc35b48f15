import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubAndPerson, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Unban extends ApiCommand {
  static override summary = 'Lift the ban of a member from a hub';
  static override description = 'For its owner and moderators. The member can join again.';
  static override examples = ['<%= config.bin %> social hub unban garden bob'];
  static override args = hubAndPerson;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unban);
    await using client = await this.connect(flags);
    const { id, slug } = await hubNamed(client, args.hub);
    const reply = await perform(client, social.unbanMember, { id, userId: args.person });
    await this.answer(reply, () => escapeForTerminal(`${args.person} can join ${slug} again.`));
  }
}
