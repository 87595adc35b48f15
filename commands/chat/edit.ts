import { perform } from '../../src/client/perform.ts';
import { fileFlag, messageArguments, textArgument } from '../../src/cli/chat/arguments.ts';
import { conversationNamed, messageNamed } from '../../src/cli/chat/find-conversation.ts';
import { messagesText } from '../../src/cli/chat/message-view.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change the text of a message that you sent';
  static override description = 'Earlier texts are kept, and members can read them.';
  static override examples = ['<%= config.bin %> chat edit bob 01a207df9916 "Tea at five?"'];
  static override args = { ...messageArguments, ...textArgument };
  static override flags = fileFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const content = await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const conversation = await conversationNamed(client, args.with);
    const messageId = await messageNamed(client, conversation, args.message);
    const changed = await perform(client, operationsOf[conversation.type].edit, {
      conversationId: conversation.id,
      messageId,
      content,
    });
    await this.answer(changed, (screen) => messagesText(screen, [changed]));
  }
}
