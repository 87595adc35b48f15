import { Flags } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { confirmed } from '../../../../src/cli/kit/confirmation.ts';
import { describeBranch, findBranch } from '../../../../src/cli/pool/fork-details.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class Resolve extends ApiCommand {
  static override summary = 'Make this node follow another branch of the access list, after a fork';
  static override description =
    'conclave pool status shows the forks. Every node decides for itself, so run this on each node that should follow the branch.';
  static override examples = ['<%= config.bin %> admin nodes acl resolve --adopt 8d3c91d04f2a'];
  static override flags = {
    adopt: Flags.string({ description: 'beginning of the hash of a list there', helpValue: 'HASH', required: true }),
    yes: Flags.boolean({ description: 'do not ask for confirmation' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Resolve);
    await using client = await this.connect(flags);
    const hash = await findBranch(client, flags.adopt);
    const preview = await perform(client, pool.previewBranch, { hash });
    this.say(await this.drawn((screen) => describeBranch(screen, preview)));
    await confirmed(this.terminal, flags.yes, 'Follow this branch instead?');
    const now = await perform(client, pool.adoptBranch, { hash, instead: preview.active.hash });
    await this.answer(now, () => `Access list version ${now.aclVersion} is active.`);
  }
}
