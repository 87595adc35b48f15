import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { hubArgument } from '../../../src/cli/social/hub-named.ts';
import { hubText } from '../../../src/cli/social/hub-views.ts';
import { social } from '../../../src/contract/social.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show a hub, your place in it, and the hubs below it';
  static override examples = ['<%= config.bin %> social hub show garden'];
  static override args = hubArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const { hub, isMember, subHubs } = await perform(client, social.showHub, { id: args.hub });
    const standing = await perform(client, social.showStanding, { id: hub['_id'] });
    await this.answer({ hub, isMember, standing, subHubs }, (screen) => hubText(screen, hub, standing, subHubs));
  }
}
