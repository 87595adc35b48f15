import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { isGiven } from '../../../src/cli/kit/input.ts';
import { details } from '../../../src/cli/kit/table.ts';
import { myName } from '../../../src/cli/social/my-name.ts';
import { profilePairs } from '../../../src/cli/social/person-columns.ts';
import { social } from '../../../src/contract/social.ts';
import { Problem } from '../../../src/base/problem.ts';

const fixed = ['id', 'userId'];

export default class Edit extends ApiCommand {
  static override summary = 'Change your profile';
  static override description =
    'Only what you give changes. With --is-protected, you approve everybody who wants to follow you.';
  static override examples = ['<%= config.bin %> social profile edit --bio "Gardener" --is-protected'];
  static override flags = flagsOf(social.updateProfile, { omit: fixed });

  async run(): Promise<void> {
    const { flags } = await this.parse(Edit);
    if (!isGiven(social.updateProfile, flags))
      throw new Problem('invalid', 'USAGE', 'Nothing would change. Give a flag.');
    const change = await this.inputFor(social.updateProfile, flags, { skip: ['id', 'user-id'] });
    await using client = await this.connect(flags);
    const profile = await perform(client, social.updateProfile, { ...change, id: await myName(client) });
    await this.answer(profile, (screen) => details(screen, profilePairs(screen, profile)));
  }
}
