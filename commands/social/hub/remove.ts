import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { hubAndPeople, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Remove members from a hub';
  static override description = 'For its owner. They can join again; to keep somebody out, ban them.';
  static override usage = 'social hub remove HUB PEOPLE...';
  static override examples = ['<%= config.bin %> social hub remove garden bob cyd'];
  static override strict = false;
  static override args = hubAndPeople;

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { id, slug } = await hubNamed(client, args.hub);
    const reply = await perform(client, social.removeHubMembers, { id, userIds: (argv as string[]).slice(1) });
    await this.answer(reply, () =>
      escapeForTerminal(`Removed ${counted(reply.removed.length, 'member')} from ${slug}.`),
    );
  }
}
