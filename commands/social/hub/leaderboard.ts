import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { hubArgument, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { leaderColumns } from '../../../src/cli/social/hub-views.ts';
import { social } from '../../../src/contract/social.ts';

export default class Leaderboard extends ApiCommand {
  static override summary = 'List the members of a hub by the votes for their posts there';
  static override description = 'For members of the hub. Members without a post there are not in it.';
  static override examples = ['<%= config.bin %> social hub leaderboard garden'];
  static override args = hubArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Leaderboard);
    await using client = await this.connect(flags);
    const { id } = await hubNamed(client, args.hub);
    const { leaderboard } = await perform(client, social.showLeaderboard, { id });
    await this.answer({ leaderboard }, (screen) => table(screen, leaderboard, leaderColumns));
    if (leaderboard.length === 0) this.say('Nobody has a post there.');
  }
}
