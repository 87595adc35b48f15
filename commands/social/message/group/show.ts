import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { details } from '../../../../src/cli/kit/table.ts';
import { usernamesOf } from '../../../../src/cli/chat/members.ts';
import { groupArgument } from '../../../../src/cli/social/messages/arguments.ts';
import { socialGroupNamed } from '../../../../src/cli/social/messages/find-conversation.ts';
import { socialGroupPairs } from '../../../../src/cli/social/messages/views.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show a group, who is in it, and what you have chosen for it';
  static override description = 'A member whom you cannot see, because of a block, is shown with the id.';
  static override examples = ['<%= config.bin %> social message group show "tea party"'];
  static override args = groupArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const group = await socialGroupNamed(client, args.name);
    const { conversation } = group;
    const names = flags.json ? new Map<string, string>() : await usernamesOf(client, conversation.participantIds);
    await this.answer(conversation, (screen) => details(screen, socialGroupPairs(screen, group, names)));
  }
}
