import { withArgument } from '../../../src/cli/chat/arguments.ts';
import { deleteOwnDraft } from '../../../src/cli/chat/own-drafts.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';
import { checkedConversation } from '../../../src/cli/chat/sealed/checked-conversation.ts';

export default class Remove extends ChatCommand {
  static override summary = 'Delete your draft in a conversation';
  static override examples = ['<%= config.bin %> chat draft remove bob'];
  static override args = withArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    await deleteOwnDraft({ client }, await checkedConversation(this.side(client), args.with));
    await this.answer({ deleted: true }, () => 'There is no draft any more.');
  }
}
