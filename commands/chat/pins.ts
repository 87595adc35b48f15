import { perform } from '../../src/client/perform.ts';
import { withArgument } from '../../src/cli/chat/arguments.ts';
import { conversationNamed } from '../../src/cli/chat/find-conversation.ts';
import { messagesText } from '../../src/cli/chat/message-view.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

export default class Pins extends ApiCommand {
  static override summary = 'List the pinned messages of a conversation, the last one pinned first';
  static override examples = ['<%= config.bin %> chat pins bob'];
  static override args = withArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Pins);
    await using client = await this.connect(flags);
    const conversation = await conversationNamed(client, args.with);
    const reply = await perform(client, operationsOf[conversation.type].pins, { conversationId: conversation.id });
    await this.answer(reply, (screen) => messagesText(screen, reply.items));
    if (reply.items.length === 0) this.say('No message is pinned.');
  }
}
