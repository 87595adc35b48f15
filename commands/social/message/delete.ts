import { perform } from '../../../src/client/perform.ts';
import { nameOf } from '../../../src/cli/chat/conversation-table.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { yesFlag } from '../../../src/cli/social/hub-named.ts';
import { nameArgument } from '../../../src/cli/social/messages/arguments.ts';
import { socialConversationNamed } from '../../../src/cli/social/messages/find-conversation.ts';
import { leavingWords } from '../../../src/cli/social/messages/views.ts';
import { myName } from '../../../src/cli/social/my-name.ts';
import { social } from '../../../src/contract/social.ts';

export default class Delete extends ApiCommand {
  static override summary = 'Delete a conversation from your view, or leave a group';
  static override description =
    'You see nothing any more of what was said until now; the others keep it. A conversation of two comes back with the next message. Whoever has been in a group the longest becomes its owner after the owner has left, and the last one who leaves deletes it for good.';
  static override examples = [
    '<%= config.bin %> social message delete bob',
    '<%= config.bin %> social message delete "#tea party"',
  ];
  static override args = nameArgument;
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Delete);
    await using client = await this.connect(flags);
    const conversation = await socialConversationNamed(client, args.name);
    const me = flags.yes ? '' : await myName(client);
    await confirmed(this.terminal, flags.yes, escapeForTerminal(leavingWords(conversation, me)));
    await perform(client, social.deleteConversation, { id: conversation.id });
    const done = conversation.type === 'group' ? 'You left' : 'Deleted from your view:';
    await this.answer({ deleted: conversation.id }, () => escapeForTerminal(`${done} ${nameOf(conversation)}.`));
  }
}
