import { perform } from '../../src/client/perform.ts';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { withArgument } from '../../src/cli/chat/arguments.ts';
import { messagesText } from '../../src/cli/chat/message-view.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';

export default class Pins extends ChatCommand {
  static override summary = 'List the pinned messages of a conversation, the last one pinned first';
  static override examples = ['<%= config.bin %> chat pins bob'];
  static override args = withArgument;
  static override flags = chatKeyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Pins);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const conversation = await checkedConversation(side, args.with);
    const pinned = await perform(client, operationsOf[conversation.type].pins, { conversationId: conversation.id });
    const items = await side.read(conversation, pinned.items);
    await this.answer({ items }, (screen) => messagesText(screen, items));
    if (items.length === 0) this.say('No message is pinned.');
  }
}
