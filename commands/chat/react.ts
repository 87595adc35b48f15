import { perform } from '../../src/client/perform.ts';
import { emojiArgument, messageArguments } from '../../src/cli/chat/arguments.ts';
import { messageNamed } from '../../src/cli/chat/find-conversation.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';

export default class React extends ChatCommand {
  static override summary = 'React to a message with an emoji';
  static override examples = ['<%= config.bin %> chat react bob 01a207df9916 👍'];
  static override args = { ...messageArguments, ...emojiArgument };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(React);
    await using client = await this.connect(flags);
    const conversation = await checkedConversation(this.side(client), args.with);
    const messageId = await messageNamed(client, conversation, args.message);
    const about = { conversationId: conversation.id, messageId, emoji: args.emoji };
    const reaction = await perform(client, operationsOf[conversation.type].react, about);
    await this.answer({ messageId, ...reaction }, () => `You reacted with ${reaction.emoji}.`);
  }
}
