import { Flags } from '@oclif/core';
import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { fileFlag, textArgument, withArgument } from '../../../src/cli/chat/arguments.ts';
import { messageNamed } from '../../../src/cli/chat/find-conversation.ts';
import { keepOwnDraft } from '../../../src/cli/chat/own-drafts.ts';
import { checkedConversation } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';
import { textOf } from '../../../src/cli/kit/text-argument.ts';

export default class SetDraft extends ChatCommand {
  static override summary = 'Keep a draft in a conversation, instead of the one before';
  static override description =
    'There is one in each conversation. Without TEXT it is read from --file or from standard input. It counts to your storage.';
  static override examples = ['<%= config.bin %> chat draft set bob "About the cake:"'];
  static override args = { ...withArgument, ...textArgument };
  static override flags = {
    ...fileFlag,
    reply: Flags.string({ description: 'the message that it answers', helpValue: 'MESSAGE' }),
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SetDraft);
    const content = await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const conversation = await checkedConversation(side, args.with);
    const replyToMessageId = flags.reply && (await messageNamed(client, conversation, flags.reply));
    const text = { content, ...(replyToMessageId !== undefined && { replyToMessageId }) };
    const kept = await keepOwnDraft(side, conversation, text);
    await this.answer(kept, () => 'The draft is kept.');
  }
}
