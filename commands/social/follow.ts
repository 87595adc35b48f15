import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { personArgument, undoFlag } from '../../src/cli/social/arguments.ts';
import { social } from '../../src/contract/social.ts';

export default class Follow extends ApiCommand {
  static override summary = 'Follow a member, or ask a protected one';
  static override description =
    'Their posts are in your home timeline. A protected member decides whether you may follow.';
  static override examples = ['<%= config.bin %> social follow ada', '<%= config.bin %> social follow ada --undo'];
  static override args = personArgument;
  static override flags = {
    message: Flags.string({ description: 'goes with a request', helpValue: 'TEXT', exclusive: ['undo'] }),
    ...undoFlag('stop following, or take back a request'),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Follow);
    await using client = await this.connect(flags);
    if (flags.undo) {
      await perform(client, social.unfollow, { id: args.person });
      await this.answer({ following: 'no' }, () => `You do not follow ${args.person}.`);
      return;
    }
    const message = flags.message === undefined ? {} : { message: flags.message };
    const reply = await perform(client, social.follow, { id: args.person, ...message });
    const words = reply.following === 'yes' ? `You follow ${args.person}.` : `You asked to follow ${args.person}.`;
    await this.answer(reply, () => words);
  }
}
