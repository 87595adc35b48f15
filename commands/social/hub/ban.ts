import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubAndPerson, hubNamed, reasonFlag } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Ban extends ApiCommand {
  static override summary = 'Ban a member from a hub, until the ban is lifted';
  static override description =
    'For its owner and moderators. It is a ban from the hubs below too, and the member sees nothing there from that moment.';
  static override examples = ['<%= config.bin %> social hub ban garden bob --reason "Advertising"'];
  static override args = hubAndPerson;
  static override flags = reasonFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Ban);
    await using client = await this.connect(flags);
    const { id, slug } = await hubNamed(client, args.hub);
    const reply = await perform(client, social.banMember, {
      id,
      userId: args.person,
      ...(flags.reason !== undefined && { reason: flags.reason }),
    });
    await this.answer(reply, () => escapeForTerminal(`Banned ${args.person} from ${slug}.`));
  }
}
