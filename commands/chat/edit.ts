import { perform } from '../../src/client/perform.ts';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { fileFlag, messageArguments, textArgument } from '../../src/cli/chat/arguments.ts';
import { messageNamed } from '../../src/cli/chat/find-conversation.ts';
import { messagesText } from '../../src/cli/chat/message-view.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { editSealed } from '../../src/cli/chat/sealed/sealed-sending.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';

export default class Edit extends ChatCommand {
  static override summary = 'Change the text of a message that you sent';
  static override description = 'Earlier texts are kept, and members can read them.';
  static override examples = ['<%= config.bin %> chat edit bob 01a207df9916 "Tea at five?"'];
  static override args = { ...messageArguments, ...textArgument };
  static override flags = { ...fileFlag, ...chatKeyFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const content = await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const conversation = await checkedConversation(side, args.with);
    const messageId = await messageNamed(client, conversation, args.message);
    const one = { conversationId: conversation.id, messageId };
    const changed = (await side.isSealed(conversation))
      ? await editSealed(side, conversation, messageId, content)
      : await perform(client, operationsOf[conversation.type].edit, { ...one, content });
    await this.answer(changed, (screen) => messagesText(screen, [changed]));
  }
}
