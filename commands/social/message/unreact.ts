import { perform } from '../../../src/client/perform.ts';
import { emojiArgument } from '../../../src/cli/chat/arguments.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { messageArgument } from '../../../src/cli/social/messages/arguments.ts';
import { socialMessageNamed } from '../../../src/cli/social/messages/messages.ts';
import { social } from '../../../src/contract/social.ts';

export default class Unreact extends ApiCommand {
  static override summary = 'Take back a reaction of yours';
  static override examples = ['<%= config.bin %> social message unreact 01a207df9916 👍'];
  static override args = { ...messageArgument, ...emojiArgument };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unreact);
    await using client = await this.connect(flags);
    const messageId = await socialMessageNamed(client, args.message);
    await perform(client, social.unreactToMessage, { messageId, emoji: args.emoji });
    await this.answer({ messageId, emoji: args.emoji, removed: true }, () =>
      escapeForTerminal(`You took ${args.emoji} back.`),
    );
  }
}
