import { Args } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../../src/cli/kit/escape-for-terminal.ts';
import { groupArgument } from '../../../../src/cli/social/messages/arguments.ts';
import { socialGroupNamed } from '../../../../src/cli/social/messages/find-conversation.ts';
import { social } from '../../../../src/contract/social.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Remove a member from a group';
  static override description = 'For its owner. To leave a group yourself, run: conclave social message delete';
  static override examples = ['<%= config.bin %> social message group remove "tea party" dan'];
  static override args = {
    ...groupArgument,
    member: Args.string({ description: 'username or id of the member', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { id, title } = await socialGroupNamed(client, args.name);
    const group = await perform(client, social.removeParticipant, { id, userId: args.member });
    await this.answer(group, () => escapeForTerminal(`${args.member} is not in #${title} any more.`));
  }
}
