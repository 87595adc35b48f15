import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { personArgument } from '../../../src/cli/social/arguments.ts';
import { social } from '../../../src/contract/social.ts';

export default class Approve extends ApiCommand {
  static override summary = 'Let a member follow you';
  static override examples = ['<%= config.bin %> social requests approve ada'];
  static override args = personArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Approve);
    await using client = await this.connect(flags);
    await perform(client, social.approveFollowRequest, { id: args.person });
    await this.answer({ person: args.person, approved: true }, () => `${args.person} may follow you.`);
  }
}
