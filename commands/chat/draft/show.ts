import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { withArgument } from '../../../src/cli/chat/arguments.ts';
import { conversationNamed } from '../../../src/cli/chat/find-conversation.ts';
import { draftText, noDraft, readOwnDraft } from '../../../src/cli/chat/own-drafts.ts';
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
    const conversation = await conversationNamed(client, args.with);
    const draft = await readOwnDraft(this.side(client, flags), conversation);
    await this.answer({ draft: draft ?? null }, () => (draft === undefined ? '' : draftText(draft)));
    if (draft === undefined) this.say(noDraft(conversation));
  }
}
