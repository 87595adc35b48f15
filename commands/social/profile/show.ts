import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { details } from '../../../src/cli/kit/table.ts';
import { profilePairs } from '../../../src/cli/social/person-columns.ts';
import { myName } from '../../../src/cli/social/my-name.ts';
import { social } from '../../../src/contract/social.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show the profile of a member, or your own';
  static override examples = ['<%= config.bin %> social profile show ada'];
  static override args = { person: Args.string({ description: 'id or username; without it, you' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const profile = await perform(client, social.showProfile, { id: args.person ?? (await myName(client)) });
    await this.answer(profile, (screen) => details(screen, profilePairs(screen, profile)));
  }
}
