import { perform } from '../../../src/client/perform.ts';
import { fileFlag, textArgument } from '../../../src/cli/chat/arguments.ts';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { textOf } from '../../../src/cli/kit/text-argument.ts';
import { messageArgument } from '../../../src/cli/social/messages/arguments.ts';
import { asShown, socialMessageNamed } from '../../../src/cli/social/messages/messages.ts';
import { social } from '../../../src/contract/social.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change the text of a message that you sent';
  static override description = 'It is possible for 15 minutes. Others see that it was edited.';
  static override examples = ['<%= config.bin %> social message edit 01a207df9916 "Tea at five?"'];
  static override args = { ...messageArgument, ...textArgument };
  static override flags = fileFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const content = await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const messageId = await socialMessageNamed(client, args.message);
    const changed = await perform(client, social.editMessage, { messageId, content });
    await this.answer(changed, (screen) => messagesText(screen, [asShown(changed)]));
  }
}
