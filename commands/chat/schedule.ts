import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { fileFlag, textArgument, withArgument } from '../../src/cli/chat/arguments.ts';
import { messageNamed } from '../../src/cli/chat/find-conversation.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { atFlag, requireReadable, scheduledTable, timeAt } from '../../src/cli/chat/scheduling.ts';
import { nameOf } from '../../src/cli/chat/conversation-table.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';

export default class Schedule extends ChatCommand {
  static override summary = 'Have a message sent later';
  static override description =
    'From one minute to one year ahead. If it is refused when it is due, it becomes your draft in the conversation, or stays in the list as failed. It has no files.';
  static override examples = ['<%= config.bin %> chat schedule bob "Happy birthday!" --at 2027-01-31T08:00:00Z'];
  static override args = { ...withArgument, ...textArgument };
  static override flags = {
    at: Flags.string({ ...atFlag, required: true }),
    ...fileFlag,
    reply: Flags.string({ description: 'the message that this one answers', helpValue: 'MESSAGE' }),
    'client-id': Flags.string({
      description: 'your own id of the message: scheduled again with it, it is the same message',
      helpValue: 'ID',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Schedule);
    const sendAt = timeAt(flags.at, Date.now());
    const content = await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const side = this.side(client);
    const conversation = await checkedConversation(side, args.with);
    await requireReadable(side, conversation);
    const { id: conversationId, type } = conversation;
    const replyToMessageId = flags.reply && (await messageNamed(client, conversation, flags.reply));
    const message = { conversationId, content, sendAt, replyToMessageId, clientId: flags['client-id'] };
    const scheduled = await perform(client, operationsOf[type].schedule, message);
    const names = new Map([[conversationId, nameOf(conversation)]]);
    await this.answer(scheduled, (screen) => scheduledTable(screen, [scheduled], names));
  }
}
