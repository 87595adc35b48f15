import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { personArgument } from '../../../src/cli/social/arguments.ts';
import { social } from '../../../src/contract/social.ts';

export default class Reject extends ApiCommand {
  static override summary = 'Refuse a request to follow you';
  static override examples = ['<%= config.bin %> social requests reject ada'];
  static override args = personArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Reject);
    await using client = await this.connect(flags);
    await perform(client, social.rejectFollowRequest, { id: args.person });
    await this.answer({ person: args.person, approved: false }, () => `${args.person} may not follow you.`);
  }
}
