import { perform } from '../../src/client/perform.ts';
import { messageArguments } from '../../src/cli/chat/arguments.ts';
import { messageNamed } from '../../src/cli/chat/find-conversation.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';

export default class Unpin extends ChatCommand {
  static override summary = 'Unpin a message';
  static override examples = ['<%= config.bin %> chat unpin bob 01a207df9916'];
  static override args = messageArguments;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unpin);
    await using client = await this.connect(flags);
    const conversation = await checkedConversation(this.side(client), args.with);
    const messageId = await messageNamed(client, conversation, args.message);
    const reply = await perform(client, operationsOf[conversation.type].unpin, {
      conversationId: conversation.id,
      messageId,
    });
    await this.answer({ messageId, ...reply }, () => 'The message is not pinned.');
  }
}
