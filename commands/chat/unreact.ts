import { perform } from '../../src/client/perform.ts';
import { emojiArgument, messageArguments } from '../../src/cli/chat/arguments.ts';
import { messageNamed } from '../../src/cli/chat/find-conversation.ts';
import { ownReaction } from '../../src/cli/chat/own-reaction.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { myName } from '../../src/cli/social/my-name.ts';

export default class Unreact extends ChatCommand {
  static override summary = 'Take back a reaction of yours';
  static override examples = ['<%= config.bin %> chat unreact bob 01a207df9916 👍'];
  static override args = { ...messageArguments, ...emojiArgument };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unreact);
    await using client = await this.connect(flags);
    const conversation = await checkedConversation(this.side(client), args.with);
    const one = {
      conversationId: conversation.id,
      messageId: await messageNamed(client, conversation, args.message),
    };
    const { reactionId, emoji } = ownReaction(
      await perform(client, operationsOf[conversation.type].message, one),
      await myName(client),
      args.emoji,
    );
    await perform(client, operationsOf[conversation.type].unreact, { ...one, reactionId });
    await this.answer({ messageId: one.messageId, emoji, removed: true }, () => `You took ${emoji} back.`);
  }
}
