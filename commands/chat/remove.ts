import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { messageArguments } from '../../src/cli/chat/arguments.ts';
import { messageNamed } from '../../src/cli/chat/find-conversation.ts';
import { beginningOf } from '../../src/cli/chat/message-view.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';

export default class Remove extends ChatCommand {
  static override summary = 'Delete a message, for everybody';
  static override description =
    'In groups and channels, moderators can delete those of others too. Its text, its earlier texts, its reactions and its pin are erased. Its place stays.';
  static override examples = ['<%= config.bin %> chat remove bob 01a207df9916'];
  static override args = messageArguments;
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const conversation = await checkedConversation(this.side(client), args.with);
    const messageId = await messageNamed(client, conversation, args.message);
    const one = { conversationId: conversation.id, messageId };
    const message = await perform(client, operationsOf[conversation.type].message, one);
    await confirmed(
      this.terminal,
      flags.yes,
      `Delete ${conversation.mode === 'client' ? messageId : JSON.stringify(beginningOf(message))} for everybody, for good?`,
    );
    await perform(client, operationsOf[conversation.type].remove, one);
    await this.answer({ deleted: messageId }, () => `Deleted ${messageId}.`);
  }
}
