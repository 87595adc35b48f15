import { perform } from '../../../src/client/perform.ts';
import { emojiArgument } from '../../../src/cli/chat/arguments.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';

import { messageArgument } from '../../../src/cli/social/messages/arguments.ts';
import { socialMessageNamed } from '../../../src/cli/social/messages/messages.ts';
import { social } from '../../../src/contract/social.ts';

export default class React extends ApiCommand {
  static override summary = 'React to a message with an emoji';
  static override examples = ['<%= config.bin %> social message react 01a207df9916 👍'];
  static override args = { ...messageArgument, ...emojiArgument };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(React);
    await using client = await this.connect(flags);
    const messageId = await socialMessageNamed(client, args.message);
    const reaction = await perform(client, social.reactToMessage, { messageId, emoji: args.emoji });
    await this.answer(reaction, () => `You reacted with ${reaction.emoji}.`);
  }
}
