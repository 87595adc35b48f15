import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postArgument } from '../../src/cli/social/arguments.ts';
import { hubNamed } from '../../src/cli/social/hub-named.ts';
import { social } from '../../src/contract/social.ts';

export default class ReportCommand extends ApiCommand {
  static override summary = 'Report a post to those who moderate it';
  static override examples = ['<%= config.bin %> social report 01a207df991600112233445566778899 "Insults a member"'];
  static override args = { ...postArgument, reason: Args.string({ description: 'what is wrong', required: true }) };
  static override flags = {
    hub: Flags.string({ description: 'the hub whose moderators review it', helpValue: 'HUB' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReportCommand);
    await using client = await this.connect(flags);
    const hub = flags.hub === undefined ? {} : { hubId: (await hubNamed(client, flags.hub)).id };
    const { report } = await perform(client, social.reportPost, { id: args.post, reason: args.reason, ...hub });
    await this.answer({ report }, () => 'The post is reported.');
  }
}
