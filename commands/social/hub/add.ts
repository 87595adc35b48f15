import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { hubAndPeople, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Add extends ApiCommand {
  static override summary = 'Add members of the node to a hub';
  static override description = 'For its owner. All of them or none.';
  static override usage = 'social hub add HUB PEOPLE...';
  static override examples = ['<%= config.bin %> social hub add garden bob cyd'];
  static override strict = false;
  static override args = hubAndPeople;

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Add);
    await using client = await this.connect(flags);
    const { id, slug } = await hubNamed(client, args.hub);
    const reply = await perform(client, social.addHubMembers, { id, userIds: (argv as string[]).slice(1) });
    await this.answer(reply, () => escapeForTerminal(`Added ${counted(reply.added.length, 'member')} to ${slug}.`));
  }
}
