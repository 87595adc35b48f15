import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubArgument, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class RemovePost extends ApiCommand {
  static override summary = 'Take a post out of a hub';
  static override description = 'For its owner and moderators. The post stays in its other hubs, and with its author.';
  static override examples = ['<%= config.bin %> social hub remove-post garden 01a207df991600112233445566778899'];
  static override args = { ...hubArgument, post: Args.string({ description: 'id of the post', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RemovePost);
    await using client = await this.connect(flags);
    const { id, slug } = await hubNamed(client, args.hub);
    const reply = await perform(client, social.removePost, { id, postId: args.post });
    await this.answer(reply, () => escapeForTerminal(`The post is not in ${slug} any more.`));
  }
}
