import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { withArgument } from '../../../src/cli/chat/arguments.ts';
import { draftText, noDraft, readOwnDraft } from '../../../src/cli/chat/own-drafts.ts';
import { checkedConversation } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';

export default class Show extends ChatCommand {
  static override summary = 'Show your draft in a conversation';
  static override description = 'Nobody else can read it. It is the same on all your devices.';
  static override examples = ['<%= config.bin %> chat draft show bob'];
  static override args = withArgument;
  static override flags = chatKeyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const conversation = await checkedConversation(side, args.with);
    const draft = await readOwnDraft(side, conversation);
    await this.answer({ draft: draft ?? null }, () => (draft === undefined ? '' : draftText(draft)));
    if (draft === undefined) this.say(noDraft(conversation));
  }
}
