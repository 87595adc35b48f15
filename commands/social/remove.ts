import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { postArgument } from '../../src/cli/social/arguments.ts';
import { social } from '../../src/contract/social.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete your post, or take back a repost';
  static override description = 'Its likes, votes and reposts go with it. Replies stay.';
  static override examples = ['<%= config.bin %> social remove 01a207df991600112233445566778899'];
  static override args = postArgument;
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await confirmed(this.terminal, flags.yes, `Delete the post ${args.post} for good?`);
    await using client = await this.connect(flags);
    await perform(client, social.deletePost, { id: args.post });
    await this.answer({ id: args.post }, () => 'The post is deleted.');
  }
}
