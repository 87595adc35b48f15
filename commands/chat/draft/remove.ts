import { withArgument } from '../../../src/cli/chat/arguments.ts';
import { conversationNamed } from '../../../src/cli/chat/find-conversation.ts';
import { deleteOwnDraft } from '../../../src/cli/chat/own-drafts.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete your draft in a conversation';
  static override examples = ['<%= config.bin %> chat draft remove bob'];
  static override args = withArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    await deleteOwnDraft({ client }, await conversationNamed(client, args.with));
    await this.answer({ deleted: true }, () => 'There is no draft any more.');
  }
}
