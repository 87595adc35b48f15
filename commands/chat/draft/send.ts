import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { withArgument } from '../../../src/cli/chat/arguments.ts';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { sendOwnDraft } from '../../../src/cli/chat/own-drafts.ts';
import { checkedConversation } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';

export default class Send extends ChatCommand {
  static override summary = 'Send your draft in a conversation, and delete it';
  static override examples = ['<%= config.bin %> chat draft send bob'];
  static override args = withArgument;
  static override flags = chatKeyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Send);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const conversation = await checkedConversation(side, args.with);
    const sent = await sendOwnDraft(side, conversation, args.with);
    await this.answer(sent, (screen) => messagesText(screen, [sent]));
  }
}
