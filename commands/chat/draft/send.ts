import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { withArgument } from '../../../src/cli/chat/arguments.ts';
import { conversationNamed } from '../../../src/cli/chat/find-conversation.ts';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { sendOwnDraft } from '../../../src/cli/chat/own-drafts.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';

export default class Send extends ChatCommand {
  static override summary = 'Send your draft in a conversation, and delete it';
  static override examples = ['<%= config.bin %> chat draft send bob'];
  static override args = withArgument;
  static override flags = chatKeyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Send);
    await using client = await this.connect(flags);
    const conversation = await conversationNamed(client, args.with);
    const sent = await sendOwnDraft(this.side(client, flags), conversation, args.with);
    await this.answer(sent, (screen) => messagesText(screen, [sent]));
  }
}
